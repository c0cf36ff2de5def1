//! The allocator of the program: the system's, with huge pages for what is large.
//!
//! A switch of thousands of ports has records of more than a hundred megabytes and looks at a few
//! here and there in every slot. With pages of four kilobytes almost every look also has to find
//! its page, in tables that do not fit a near cache either; with pages of two megabytes a few dozen
//! of them are all there is. Linux gives huge pages to memory that asks for them, and this asks.
//!
//! Results do not depend on it. Rejected: an allocator from elsewhere, since those that ask for
//! huge pages do so only if told by a variable of the environment, of the build or of the run; and
//! mapped memory in the core, which knows no operating system.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, that asks for huge pages. To be named as the program's
/// `#[global_allocator]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

/// The size of a huge page, and where one may begin. On other processors it may be another, and
/// then the request is for a part of the allocation.
const PAGE: usize = 2 << 20;

/// Smaller allocations have as few ordinary pages as a processor remembers.
const LARGE: usize = 2 * PAGE;

// SAFETY: every call goes to the system's allocator with the layout and the pointer that came, and
// what that returns is returned. In between there is only advice about pages, which changes no
// content.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised to this function.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised to this function. Large ones are fresh pages, which are zero already
        // and are not touched here.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised to this function.
        advised(unsafe { System.realloc(start, layout, size) }, size)
    }
}

/// Asks for huge pages where a whole one fits, if the allocation is large.
#[inline]
fn advised(start: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !start.is_null() {
        advise(start, size);
    }
    start
}

#[cfg(target_os = "linux")]
#[cold]
fn advise(start: *mut u8, size: usize) {
    let offset = start.align_offset(PAGE);
    let length = size.saturating_sub(offset) / PAGE * PAGE;
    if length > 0 {
        // SAFETY: the range lies within an allocation that was just made, and the advice neither
        // reads nor writes it. A kernel that knows no huge pages refuses, and nothing is lost.
        unsafe { libc::madvise(start.wrapping_add(offset).cast(), length, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: *mut u8, _size: usize) {}

#[cfg(test)]
mod tests {
    #[global_allocator]
    static ALLOCATOR: super::HugePages = super::HugePages;

    #[test]
    fn what_is_allocated_is_zero_and_is_kept_when_it_grows() {
        for size in [1_usize, 4096, super::LARGE, 3 * super::LARGE + 1] {
            let mut bytes = vec![0u8; size];
            assert!(bytes.iter().all(|&byte| byte == 0));
            for (place, byte) in bytes.iter_mut().enumerate() {
                *byte = (place % 251) as u8;
            }
            bytes.reserve_exact(5 * super::LARGE);
            bytes.resize(size + super::LARGE, 7);
            bytes.shrink_to_fit();
            let kept = bytes
                .iter()
                .enumerate()
                .all(|(place, &byte)| byte == if place < size { (place % 251) as u8 } else { 7 });
            assert!(kept, "{size}");
        }
    }

    /// The flags of the mapping that an address lies in, as the kernel tells them.
    #[cfg(target_os = "linux")]
    fn flags(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let mut inside = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let ends = range.and_then(|(begin, end)| {
                Some((usize::from_str_radix(begin, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
            });
            if let Some((begin, end)) = ends {
                inside = (begin..end).contains(&address);
            }
            if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| inside) {
                return Some(flags.to_owned());
            }
        }
        None
    }

    /// Where the kernel knows huge pages and tells, large memory asks for them and small memory
    /// does not.
    #[test]
    #[cfg(target_os = "linux")]
    fn large_memory_asks_for_huge_pages() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage/enabled").exists() {
            return;
        }
        let asks = |bytes: &[u8]| {
            let middle = bytes.as_ptr().addr() + bytes.len() / 2;
            flags(middle).map(|flags| flags.split_whitespace().any(|flag| flag == "hg"))
        };
        let (large, small) = (vec![0u8; 4 * super::LARGE], vec![0u8; super::LARGE / 8]);
        assert_ne!(asks(&large), Some(false));
        assert_ne!(asks(&small), Some(true));
    }
}
