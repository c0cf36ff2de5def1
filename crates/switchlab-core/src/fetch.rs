//! Memory that will be asked for soon.

/// Begins to bring a place near, and waits for nothing. Where there is no such instruction, it does nothing.
///
/// Safe code had only loads for this, many in a short loop; but a processor takes back no instruction before a load that came earlier, so that
/// a load that nobody needs still holds up those behind it.
#[inline(always)]
pub(crate) fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(place);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
