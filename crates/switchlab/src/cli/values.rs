//! Values of options: shares, sizes, counts.

use switchlab_lab::Warmup;

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
    count(text).map(Warmup::Slots).map_err(|error| format!("{error}, or auto"))
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
