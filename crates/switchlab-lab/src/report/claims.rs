//! Evaluated claims as text.

use crate::claims::{Evaluation, Ruling};
use crate::experiment::{Claim, Expected};
use crate::prose::hang;
use crate::text_table::{Column, TextTable};
use std::fmt::Write;

/// Each claim: its name, the ruling, what was measured and what was printed; a line for each where
/// a terminal of this width has room, else a paragraph. A ruling other than "holds" says whether it
/// was expected.
pub fn text<'a>(claims: impl IntoIterator<Item = (String, &'a Claim, &'a Evaluation)>, width: usize) -> String {
    let mut table = TextTable::new(["claim", "ruling", "measured", "printed"].map(Column::left));
    let mut paragraphs = String::new();
    for (name, claim, evaluation) in claims {
        let (ruling, measured) = (ruling(claim, evaluation), &evaluation.measured);
        let printed = claim.printed.as_deref().unwrap_or_default();
        let of_paper = if printed.is_empty() { String::new() } else { format!("; printed: {printed}") };
        let _ = writeln!(paragraphs, "{name}  {ruling}\n{}", hang("    ", &format!("{measured}{of_paper}"), width));
        table.push([name, ruling, measured.clone(), printed.to_string()]);
    }
    let table = table.to_string();
    let fits = table.lines().all(|line| line.chars().count() <= width);
    if fits { table } else { paragraphs }
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
