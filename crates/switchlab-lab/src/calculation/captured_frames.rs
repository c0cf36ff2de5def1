//! What captured frames add to a switch, in bits of state (paper 001, sections II, VI and VII).
//!
//! Each VOQ has a counter CF and a flag F. A frame is never larger than its queue, so that CF takes
//! the bits of the largest queue, or of the largest frame if frames are limited.
//!
//! Values: `counter_bits` and `flag_bits` of a VOQ; `bits_per_voq`, both; `bits_per_input` and
//! `bits_per_switch` with a flag for each VOQ, as the paper has it; `bits_per_input_packed`, with
//! the one VOQ of an input that may be on service named by its number instead of N flags;
//! `pointer_bits`, the round-robin pointers of an input and its output, which iSLIP has too; and
//! `comparisons` between queues: none, since a frame is captured from its own queue alone.

use super::Values;
use switchlab_core::schedule::serena::ouroboros::last_iteration;

pub(super) fn values(ports: usize, frame: u64) -> Values {
    // CF takes the values 0 to `frame`.
    let counter = f64::from(u64::BITS - frame.leading_zeros());
    let (queues, identity) = (ports as f64, f64::from(last_iteration(ports)));
    vec![
        ("counter_bits", counter),
        ("flag_bits", 1.0),
        ("bits_per_voq", counter + 1.0),
        ("bits_per_input", queues * (counter + 1.0)),
        ("bits_per_input_packed", queues * counter + identity + 1.0),
        ("bits_per_switch", queues * queues * (counter + 1.0)),
        ("pointer_bits", 2.0 * identity),
        ("comparisons", 0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_by_hand() {
        let of = |ports, frame, name| values(ports, frame).into_iter().find(|value| value.0 == name).unwrap().1;
        assert_eq!(of(32, 65_535, "counter_bits"), 16.0);
        assert_eq!(of(32, 65_536, "counter_bits"), 17.0);
        assert_eq!(of(32, 1, "bits_per_voq"), 2.0);
        assert_eq!(of(32, 255, "bits_per_switch"), 32.0 * 32.0 * 9.0);
        assert_eq!(of(32, 255, "bits_per_input_packed"), 32.0 * 8.0 + 6.0);
        assert_eq!(of(32, 255, "pointer_bits"), 10.0);
    }
}
