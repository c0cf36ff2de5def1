//! A bound as JSON: a number, or the word "inf" or "-inf": JSON has no infinity, and what a
//! manifest holds must read back as what it was.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Bound {
    Number(f64),
    Word(Infinite),
}

#[derive(Serialize, Deserialize)]
enum Infinite {
    #[serde(rename = "-inf")]
    Below,
    #[serde(rename = "inf")]
    Above,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) fn serialize<S: Serializer>(bound: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let written = match *bound {
        f64::INFINITY => Bound::Word(Infinite::Above),
        f64::NEG_INFINITY => Bound::Word(Infinite::Below),
        number => Bound::Number(number),
    };
    written.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(match Bound::deserialize(deserializer)? {
        Bound::Number(number) => number,
        Bound::Word(Infinite::Above) => f64::INFINITY,
        Bound::Word(Infinite::Below) => f64::NEG_INFINITY,
    })
}
