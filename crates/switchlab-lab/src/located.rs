//! TOML in which every value has its position, for error messages.
//!
//! Values are read by hand instead of through derived deserialisers: those stop at "unknown field"
//! without the nearest one, and cannot take a single value, a list and a range in the same place
//! with an error that is about the one that was meant.

use crate::error::LabError;
use crate::ranges::{self, MOST_VALUES, Step};
use std::ops::Range;
use std::path::Path;
use switchlab_core::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file and its text.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// The name for error messages.
    pub(crate) file: &'a str,
    /// All of it.
    pub(crate) text: &'a str,
}

impl<'a> Source<'a> {
    /// The whole document.
    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'a>>, LabError> {
        DeTable::parse(self.text).map_err(|error| self.error(error.span().unwrap_or_default(), error.message()))
    }

    /// An error at a position in the text.
    pub(crate) fn error(&self, at: Range<usize>, problem: impl Into<String>) -> LabError {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        LabError::Experiment {
            file: self.file.to_string(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }
}

/// A table, and what to call it.
#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    source: &'a Source<'a>,
    entries: &'a DeTable<'a>,
    at: Range<usize>,
    name: String,
}

impl<'a> Section<'a> {
    /// The document's own table.
    pub(crate) fn top(source: &'a Source<'a>, document: &'a Spanned<DeTable<'a>>, name: &str) -> Self {
        Self { source, entries: document.get_ref(), at: 0..0, name: name.to_string() }
    }

    /// Refuses keys that are not among these. The error is about the first one in the file, and
    /// names the most similar known key.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), LabError> {
        let unknown = self.entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        unknown.min_by_key(|key| key.span().start).map_or(Ok(()), |key| {
            let problem = format!("{} has no key {:?}; {}", self.name, key.get_ref(), advice(key.get_ref(), known));
            Err(self.source.error(key.span(), problem))
        })
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'a>> {
        let value = self.entries.get(key)?;
        Some(Node { source: self.source, value: value.get_ref(), at: value.span(), name: key.to_string() })
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&self, key: &str) -> Result<Node<'a>, LabError> {
        self.get(key).ok_or_else(|| self.error(format!("{} needs the key {key}", self.name)))
    }

    /// The value of a key, read if it is there.
    pub(crate) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Node<'a>) -> Result<T, LabError>,
    ) -> Result<Option<T>, LabError> {
        self.get(key).map(|node| read(&node)).transpose()
    }

    /// Keys with their positions, in the order of the file.
    pub(crate) fn items(&self) -> Vec<(String, Range<usize>, Node<'a>)> {
        let entry = |(key, value): (&'a Spanned<_>, &'a Spanned<DeValue<'a>>)| {
            let name: &std::borrow::Cow<'a, str> = key.get_ref();
            let node =
                Node { source: self.source, value: value.get_ref(), at: value.span(), name: name.clone().into_owned() };
            (name.to_string(), key.span(), node)
        };
        let mut items: Vec<_> = self.entries.iter().map(entry).collect();
        items.sort_by_key(|(_, at, _)| at.start);
        items
    }

    /// An error about the table as a whole.
    pub(crate) fn error(&self, problem: impl Into<String>) -> LabError {
        self.source.error(self.at.clone(), problem)
    }

    /// An error about a key of it.
    pub(crate) fn error_at(&self, at: Range<usize>, problem: impl Into<String>) -> LabError {
        self.source.error(at, problem)
    }
}

/// The known word that is most similar, as advice.
pub(crate) fn advice(word: &str, known: &[&str]) -> String {
    match (nearest(word, known), known) {
        (_, []) => "there are none".to_string(),
        (None, _) => format!("there are: {}", known.join(", ")),
        (Some(near), _) => format!("did you mean {near}? There are: {}", known.join(", ")),
    }
}

/// A value, and the key it is under.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    source: &'a Source<'a>,
    value: &'a DeValue<'a>,
    at: Range<usize>,
    name: String,
}

impl<'a> Node<'a> {
    /// An error about it.
    pub(crate) fn error(&self, problem: impl Into<String>) -> LabError {
        self.source.error(self.at.clone(), problem)
    }

    /// The folder of the file that it stands in.
    pub(crate) fn folder(&self) -> &'a Path {
        Path::new(self.source.file).parent().unwrap_or(Path::new(""))
    }

    fn must_be(&self, what: &str) -> LabError {
        self.error(format!("{} must be {what}, and this is {}", self.name, with_article(self.value.type_str())))
    }

    /// Text.
    pub(crate) fn text(&self) -> Result<String, LabError> {
        self.value.as_str().map(str::to_string).ok_or_else(|| self.must_be("text in quotes"))
    }

    /// One of a few words.
    pub(crate) fn word(&self, known: &[&str]) -> Result<String, LabError> {
        let word = self.text()?;
        if known.contains(&word.as_str()) {
            return Ok(word);
        }
        Err(self.error(format!("{:?} cannot be {}; {}", word, self.name, advice(&word, known))))
    }

    /// True or false.
    pub(crate) fn flag(&self) -> Result<bool, LabError> {
        self.value.as_bool().ok_or_else(|| self.must_be("true or false"))
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Result<f64, LabError> {
        let number = match self.value {
            DeValue::Integer(whole) => {
                i64::from_str_radix(whole.as_str(), whole.radix()).ok().map(|whole| whole as f64)
            }
            DeValue::Float(real) => real.as_str().replace('_', "").parse().ok(),
            _ => return Err(self.must_be("a number")),
        };
        number.filter(|number| number.is_finite()).ok_or_else(|| self.error(format!("{} must be finite", self.name)))
    }

    /// A whole number in a range; also as 2e5.
    pub(crate) fn count(&self, range: std::ops::RangeInclusive<u64>) -> Result<u64, LabError> {
        let whole = match self.value {
            DeValue::Integer(whole) => u64::from_str_radix(whole.as_str(), whole.radix()).ok(),
            DeValue::Float(_) => {
                Some(self.number()?).filter(|x| x.fract() == 0.0 && (0.0..1e15).contains(x)).map(|x| x as u64)
            }
            _ => return Err(self.must_be("a whole number")),
        };
        let bounds = || format!("{} must be a whole number from {} to {}", self.name, range.start(), range.end());
        whole.filter(|whole| range.contains(whole)).ok_or_else(|| self.error(bounds()))
    }

    /// A table.
    pub(crate) fn table(&self, name: &str) -> Result<Section<'a>, LabError> {
        let entries = self.value.as_table().ok_or_else(|| self.must_be("a table"))?;
        Ok(Section { source: self.source, entries, at: self.at.clone(), name: name.to_string() })
    }

    /// A list of tables, as `[[key]]` writes it.
    pub(crate) fn tables(&self, name: &str) -> Result<Vec<Section<'a>>, LabError> {
        if !self.value.is_array() {
            return Err(self.must_be(&format!("a list of tables, as [[{}]] begins one", self.name)));
        }
        self.items()?.iter().map(|item| item.table(name)).collect()
    }

    /// The items of a list that is not empty, or the single value itself.
    pub(crate) fn items(&self) -> Result<Vec<Self>, LabError> {
        let Some(array) = self.value.as_array() else { return Ok(vec![self.clone()]) };
        if array.is_empty() || array.len() > MOST_VALUES {
            return Err(self.error(format!("{} must list from 1 to {MOST_VALUES} values", self.name)));
        }
        let item = |value: &'a Spanned<DeValue<'a>>| Self {
            source: self.source,
            value: value.get_ref(),
            at: value.span(),
            name: self.name.clone(),
        };
        Ok(array.iter().map(item).collect())
    }

    /// Whether this is a table.
    pub(crate) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Different numbers: one, a list, or a range with its steps.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>, LabError> {
        let numbers = if self.is_table() {
            self.range()?
        } else {
            self.items()?.iter().map(Self::number).collect::<Result<_, _>>()?
        };
        self.distinct(&numbers)?;
        Ok(numbers)
    }

    /// Refuses a list that holds a value twice.
    pub(crate) fn distinct<T: PartialEq + std::fmt::Display>(&self, values: &[T]) -> Result<(), LabError> {
        let twice = (1..values.len()).find(|&index| values[..index].contains(&values[index]));
        twice.map_or(Ok(()), |index| Err(self.error(format!("{} lists {} twice", self.name, values[index]))))
    }

    /// `{ from, to, step }`, or `{ from, to, times }` for a geometric one.
    fn range(&self) -> Result<Vec<f64>, LabError> {
        let range = self.table("a range")?;
        range.only(&["from", "to", "step", "times"])?;
        let (from, to) = (range.need("from")?.number()?, range.need("to")?.number()?);
        let step = match (range.read("step", Self::number)?, range.read("times", Self::number)?) {
            (Some(step), None) => Step::Add(step),
            (None, Some(times)) => Step::Times(times),
            _ => return Err(self.error("a range takes either step or times")),
        };
        ranges::values(from, to, step).map_err(|problem| self.error(problem))
    }
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'i']) { "an" } else { "a" };
    format!("{article} {kind}")
}
