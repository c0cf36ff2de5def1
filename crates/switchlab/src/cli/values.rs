//! Values of options: loads, shares, sizes, counts. Each parser says in its error what to write.

use std::time::Duration;
use switchlab_core::MAX_PORTS;
use switchlab_lab::Warmup;

/// A load as a share of the line, as 0.9 or 90%. Whether the traffic can have it is not known here.
pub(super) fn load(text: &str) -> Result<f64, String> {
    // 90% is read as 90e-2, so that it is the same number as 0.9.
    let number = text.strip_suffix('%').map_or_else(|| text.to_string(), |percent| format!("{}e-2", percent.trim()));
    number.parse().map_err(|_| "a load is a share of the line, from 0 to 1: write 0.9 or 90%".to_string())
}

/// A number of ports. Its range is checked where switches are built.
pub(super) fn ports(text: &str) -> Result<usize, String> {
    whole(text).map_err(|_| format!("a switch has from 1 to {MAX_PORTS} ports: write a whole number, such as 16"))
}

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    count(text).map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// A whole number of any type, also with underscores.
pub(super) fn whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = count(text).map_err(|_| "write a whole number, from 1 on".to_string())?;
    T::try_from(number).map_err(|_| "the number is too large".to_string())
}

/// A length of time, in slots.
pub(super) fn slots(text: &str) -> Result<u64, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
    let is_time = unit.len() < text.len() && ["ns", "us", "µs", "ms", "s", "min", "h"].contains(&unit);
    count(text)
        .map_err(|error| if is_time { format!("time is counted in slots, one cell long each: {error}") } else { error })
}

/// A length of time by a clock, as 90s, 55m or 4h.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let advice = || "write a whole number and its unit, such as 90s, 55m or 4h".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        _ => return Err(advice()),
    };
    let number: u64 = number.parse().map_err(|_| advice())?;
    number.checked_mul(seconds).filter(|all| *all <= 366 * 24 * 3600).map(Duration::from_secs).ok_or_else(advice)
}

/// A part of a whole, as 1/4.
pub(super) fn shard(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match parts {
        Some((part, parts)) if (1..=parts).contains(&part) => Ok((part, parts)),
        _ => Err("write which part of how many, from 1/n to n/n, such as 1/4".to_string()),
    }
}

/// A whole number, also with underscores or as 2e5.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let exact = |x: &f64| *x >= 0.0 && *x < 1e15 && x.fract() == 0.0;
    plain
        .parse()
        .ok()
        .or_else(|| plain.parse().ok().filter(exact).map(|x: f64| x as u64))
        .ok_or_else(|| "write a whole number, such as 200000, 200_000 or 2e5".to_string())
}

pub(super) fn warmup(text: &str) -> Result<Warmup, String> {
    if text == "auto" {
        return Ok(Warmup::Auto);
    }
    slots(text).map(Warmup::Slots).map_err(|error| format!("{error}, or auto"))
}

/// A percentile, in per cent, as 99.9 or 99.9%.
pub(super) fn percentile(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').unwrap_or(text).trim();
    number.parse().map_err(|_| "a percentile is a number above 0 and below 100, such as 99.9".to_string())
}

/// A share, as 1% or 0.01.
pub(super) fn relative(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    match number.trim().parse::<f64>() {
        Ok(share) if share > 0.0 && share < unit => Ok(share / unit),
        _ => Err("write a share above 0 and below 1, such as 1% or 0.01".to_string()),
    }
}

/// A number of bytes, as 512MiB, 2GiB or plain.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let units =
        [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("B", 0), ("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let (number, shift) =
        units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift))).unwrap_or((text, 0));
    let bytes = number.trim().parse::<f64>().ok().map(|x| x * (1u64 << shift) as f64);
    match bytes {
        Some(bytes) if (0.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("write a size, such as 512MiB or 2GiB".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(count("200_000"), Ok(200_000));
        assert_eq!(count("2e5"), Ok(200_000));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        assert!(["", "1.5", "-1", "NaN", "1e300", "x"].iter().all(|bad| count(bad).is_err()));
        assert_eq!((load("90%"), load("33.3 %"), load("0.9"), load("-1")), (Ok(0.9), Ok(0.333), Ok(0.9), Ok(-1.0)));
        assert!(["", "%", "0,9", "100Gbps", "x"].iter().all(|bad| load(bad).is_err()));
        assert_eq!((ports("4096"), seed("18446744073709551615"), whole("10")), (Ok(4096), Ok(u64::MAX), Ok(10u32)));
        assert!(["", "-4", "1.5", "18446744073709551616"].iter().all(|bad| ports(bad).is_err() && seed(bad).is_err()));
        assert_eq!(whole::<u32>("4294967296"), Err("the number is too large".to_string()));
        assert_eq!((percentile("99.9"), percentile("99.9%")), (Ok(99.9), Ok(99.9)));
        assert!(["", "%", "p99"].iter().all(|bad| percentile(bad).is_err()));
        assert_eq!(slots("1e3"), Ok(1000));
        let is_in_slots = |text: &str| slots(text).is_err_and(|error| error.starts_with("time is counted in slots"));
        assert!(is_in_slots("10ms") && is_in_slots("1.5 s") && !is_in_slots("ms") && !is_in_slots("10 cells"));
        assert_eq!(relative("1%"), Ok(0.01));
        assert_eq!(relative("0.05"), Ok(0.05));
        assert!(["0", "1", "100%", "NaN", "-1%", "%", ""].iter().all(|bad| relative(bad).is_err()));
        assert_eq!(size("1GiB"), Ok(1 << 30));
        assert_eq!(size("1.5K"), Ok(1536));
        assert_eq!(size("77"), Ok(77));
        assert!(["", "-1", "NaN", "1e300", "GiB", "1XB"].iter().all(|bad| size(bad).is_err()));
        assert_eq!(shard("2/4"), Ok((2, 4)));
        assert!(["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b"].iter().all(|bad| shard(bad).is_err()));
        assert_eq!(warmup("auto"), Ok(Warmup::Auto));
        assert_eq!(warmup("0"), Ok(Warmup::Slots(0)));
    }
}
