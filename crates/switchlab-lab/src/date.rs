//! Dates, for records of speed and for reports. No result depends on one.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time, as `2026-11-16 07:30`, in UTC.
pub(crate) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60)
}

/// The day, as `2026-11-16`, in UTC.
pub fn today() -> String {
    now().chars().take_while(|c| *c != ' ').collect()
}

/// The date of a day counted from 1970. Years begin in March here, so that the leap day is their
/// last; a crate for one date was rejected.
fn date(day: u64) -> (u64, u64, u64) {
    // Days from 0000-03-01, in cycles of 400 years.
    let day = day + 719_468;
    let (cycle, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let january = month >= 10;
    (
        400 * cycle + year + u64::from(january),
        if january { month - 9 } else { month + 3 },
        day - (153 * month + 2) / 5 + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!((date(11_016), date(11_017)), ((2000, 2, 29), (2000, 3, 1)));
        assert_eq!((date(20_088), date(20_089)), ((2024, 12, 31), (2025, 1, 1)));
        assert_eq!(date(20_773), (2026, 11, 16));
    }

    #[test]
    fn a_day_is_the_first_part_of_a_time() {
        assert_eq!(today().len(), "2026-11-16".len());
    }
}
