//! Evaluated claims as text.

use crate::claims::{Evaluation, Ruling};
use crate::experiment::{Claim, Expected};
use crate::text_table::{Column, TextTable};

/// Each claim in a line: its name, the ruling, what was measured and what was printed. A ruling
/// other than "holds" says whether it was expected.
pub fn table<'a>(claims: impl IntoIterator<Item = (String, &'a Claim, &'a Evaluation)>) -> TextTable {
    let mut table = TextTable::new(["claim", "ruling", "measured", "printed"].map(Column::left));
    for (name, claim, evaluation) in claims {
        let printed = claim.printed.clone().unwrap_or_default();
        table.push([name, ruling(claim, evaluation), evaluation.measured.clone(), printed]);
    }
    table
}

fn ruling(claim: &Claim, evaluation: &Evaluation) -> String {
    match (evaluation.ruling, claim.expected) {
        (Ruling::DoesNotHold, Expected::Fails) => "does not hold, as expected".to_string(),
        (ruling, expected) if !ruling.is_as(expected) => format!("{ruling}, unexpectedly"),
        (ruling, _) => ruling.to_string(),
    }
}

/// The claims whose ruling is the opposite of the one that is expected, a sentence each.
pub fn unexpected<'a>(claims: impl IntoIterator<Item = (String, &'a Claim, &'a Evaluation)>) -> Vec<String> {
    let different = claims.into_iter().filter(|(_, claim, evaluation)| !evaluation.ruling.is_as(claim.expected));
    let say = |(name, claim, evaluation): (String, &Claim, &Evaluation)| {
        let expected = match claim.expected {
            Expected::Holds => "to hold",
            Expected::Fails => "not to hold",
            Expected::Undecided => "to be undecided",
        };
        format!("{name}: {}, and is expected {expected}", evaluation.ruling)
    };
    different.map(say).collect()
}
