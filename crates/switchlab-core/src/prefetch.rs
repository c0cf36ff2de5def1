//! Software prefetch.
//!
//! A prefetch starts a load and does not wait for it. A plain load that is not needed yet would do
//! the same, but a processor retires instructions in order: such a load holds up all that follow.
//! Where there is no prefetch instruction, these functions do nothing.

/// Prefetches into the second-level cache.
///
/// The first-level cache has a small number of miss buffers, and a prefetch that finds none waits.
/// For random addresses in 134 MB, 64 of them ahead, a prefetch into the second level takes 4.4 ns
/// and one into the first 7.5 ns; in 8 MB 1.1 and 1.5 ns.
#[inline(always)]
pub(crate) fn prefetch_l2<T>(target: &T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    safe_arch::prefetch_t1(target);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
    let _ = target;
}

/// Prefetches into the first-level cache, for data that is in the second.
#[inline(always)]
pub(crate) fn prefetch_l1<T>(target: &T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    safe_arch::prefetch_t0(target);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
    let _ = target;
}
