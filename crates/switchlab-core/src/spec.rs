//! Specs: how a switch, a traffic matrix or an arrival process is named, `name` or
//! `name(key=value,...)`.
//!
//! Two shorter forms mean the same. `name:key=value,...` needs no quotes in a shell. `name(value)`
//! is for an entry with one parameter. Names, keys and words may be written in capitals; values
//! that are file names are taken as they are.
//!
//! A spec is parsed into a [`Spec`], checked against the parameters its registry entry declares,
//! and becomes [`Args`]: every parameter present, in range, in one canonical order. The canonical
//! text is what results are labelled with.

use crate::error::Error;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// A parsed spec: a name and its arguments in the order written. Nothing is known yet about their
/// meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name before the parenthesis or colon, in small letters.
    pub name: String,
    /// The `key=value` pairs. The key of a value that stands alone is empty.
    pub arguments: Vec<(String, String)>,
}

impl Spec {
    /// Parses `name`, `name(key=value,...)`, `name:key=value,...`, `name(value)` or `name:value`.
    ///
    /// A value may contain balanced parentheses, and anything at all between double quotes.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let syntax = |problem: &str| Error::Syntax { spec: text.to_string(), problem: problem.to_string() };
        let text_trimmed = text.trim();
        let (name, inside) = match text_trimmed.find(['(', ':']) {
            None => (text_trimmed, None),
            Some(at) if text_trimmed[at..].starts_with(':') => (&text_trimmed[..at], Some(&text_trimmed[at + 1..])),
            Some(at) => {
                let rest = &text_trimmed[at + 1..];
                let inside = rest.strip_suffix(')').ok_or_else(|| syntax("the closing parenthesis is missing"))?;
                (text_trimmed[..at].trim_end(), Some(inside))
            }
        };
        if name.is_empty() {
            return Err(syntax("there is no name"));
        }
        if let Some(odd) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))) {
            let advice = if odd == ',' { "; names in a list are divided by blanks alone" } else { "" };
            return Err(syntax(&alloc::format!("{odd:?} cannot be part of a name{advice}")));
        }
        let mut arguments: Vec<(String, String)> = Vec::new();
        let parts = split_top_level(inside.unwrap_or("")).map_err(syntax)?;
        let not_a_pair =
            || syntax("each argument must be key=value; a value with commas or parentheses goes between double quotes");
        for part in &parts {
            let (key, value) = match part.split_once('=') {
                Some((key, _)) if key.trim().is_empty() => return Err(not_a_pair()),
                Some((key, value)) => (key.trim(), unquote(value.trim())),
                None if parts.len() == 1 => ("", unquote(part.trim())),
                None => return Err(not_a_pair()),
            };
            if value.is_empty() {
                return Err(not_a_pair());
            }
            let key = key.to_ascii_lowercase();
            if arguments.iter().any(|(known, _)| *known == key) {
                return Err(syntax(&alloc::format!("{key} is given twice")));
            }
            arguments.push((key, value.to_string()));
        }
        Ok(Self { name: name.to_ascii_lowercase(), arguments })
    }
}

/// The spec as text, values between quotes where they need them.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.arguments.iter().enumerate() {
            f.write_str(if index == 0 { "(" } else { "," })?;
            if !key.is_empty() {
                write!(f, "{key}=")?;
            }
            write!(f, "{}", Value::Word(value.clone()))?;
        }
        if self.arguments.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

fn unquote(value: &str) -> &str {
    value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value)
}

/// Splits at commas outside quotes and parentheses; no parts for blank text.
fn split_top_level(text: &str) -> Result<Vec<&str>, &'static str> {
    let mut parts = Vec::new();
    if text.trim().is_empty() {
        return Ok(parts);
    }
    let (mut depth, mut quoted, mut start) = (0usize, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.checked_sub(1).ok_or("there is a ) without its (")?,
            ',' if !quoted && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if quoted || depth > 0 {
        return Err(if quoted { "a quote is not closed" } else { "a parenthesis is not closed" });
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number in a closed range.
    Count(u64, u64),
    /// A real number in a closed range.
    Real(f64, f64),
    /// A whole number in a closed range, or one of some words that stand for one.
    CountOr(&'static [&'static str], u64, u64),
    /// A whole number in a closed range, or several with `x` between them, as `4x8`.
    Radices(u64, u64),
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// One of the listed words, or a name with weights, as `wfq(w=3:1)`: whole numbers from 1 to
    /// 1000.
    ChoiceOrWeights(&'static [&'static str], &'static str),
    /// How many there are, from 1 to this number, or a weight for each of several, as `1:3`: whole
    /// numbers from 1 to 1000.
    Shares(u64),
    /// The name of a file.
    File,
    /// Another spec, as that of a switch.
    Spec,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Real(least, most) if *most == f64::MAX => write!(f, "a number of at least {least}"),
            Self::Real(least, most) => write!(f, "a number from {least} to {most}"),
            Self::CountOr(words, least, most) => {
                write!(f, "{} or a whole number from {least} to {most}", words.join(", "))
            }
            Self::Radices(least, most) => {
                write!(f, "a whole number from {least} to {most}, or several with x between them, as 4x8")
            }
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::ChoiceOrWeights(words, name) => {
                write!(f, "one of {} or {name}(w=3:1:...), a weight from 1 to {MOST_WEIGHT} for each", words.join(", "))
            }
            Self::Shares(most) => {
                write!(f, "a whole number from 1 to {most}, or weights from 1 to {MOST_WEIGHT} such as 1:3")
            }
            Self::File => write!(f, "a file name without quotes in it"),
            Self::Spec => write!(f, "a spec without quotes in it, as islip(iterations=4)"),
        }
    }
}

/// A parameter of a registry entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its key in a spec.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// What it is when the spec does not say.
    pub default: Preset,
    /// One line for people.
    pub about: &'static str,
}

/// What a parameter is when the spec does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// This value, written as a spec would.
    Value(&'static str),
    /// Nothing: the entry does without, in the way its page says.
    Absent,
    /// An error: it must be given.
    Required,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Count(u64),
    Real(f64),
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(n) => write!(f, "{n}"),
            Self::Real(x) => write!(f, "{x}"),
            Self::Word(w) if w.contains([',', '(', ')', '=']) || w.contains(char::is_whitespace) => {
                write!(f, "\"{w}\"")
            }
            Self::Word(w) => write!(f, "{w}"),
        }
    }
}

/// A spec checked against its entry's parameters: defaults filled in, values in range.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    name: &'static str,
    parameters: &'static [Parameter],
    values: Vec<(&'static str, Value)>,
}

impl Args {
    /// Checks a spec's arguments against the parameters of the entry called `name`.
    pub fn check(name: &'static str, parameters: &'static [Parameter], spec: &Spec) -> Result<Self, Error> {
        // The one that must be given, or the only one there is. Shares are of labels, which go with
        // all traffic and are no parameters of an entry's own.
        let own = || parameters.iter().filter(|parameter| !matches!(parameter.kind, Kind::Shares(_)));
        let required = || own().filter(|parameter| parameter.default == Preset::Required);
        let only = match (own().count(), required().count()) {
            (1, _) => own().next(),
            (_, 1) => required().next(),
            _ => None,
        };
        let key_of = |key: &String| match (key.is_empty(), only) {
            (true, Some(only)) => Ok(only.name.to_string()),
            (true, _) => Err(Error::no_only_key(name, parameters)),
            (false, _) => Ok(key.clone()),
        };
        let arguments = spec.arguments.iter().map(|(key, value)| Ok((key_of(key)?, value.as_str())));
        let arguments = arguments.collect::<Result<Vec<(String, &str)>, Error>>()?;
        if let Some((key, _)) = arguments.iter().find(|(key, _)| parameters.iter().all(|p| p.name != key)) {
            return Err(Error::unknown_key(name, key, parameters));
        }
        let mut values = Vec::new();
        for parameter in parameters {
            let given = arguments.iter().find(|(key, _)| key == parameter.name).map(|(_, value)| *value);
            let text = match (given, parameter.default) {
                (Some(value), _) | (None, Preset::Value(value)) => value,
                (None, Preset::Absent) => continue,
                (None, Preset::Required) => {
                    return Err(Error::MissingKey { name, key: parameter.name, kind: parameter.kind });
                }
            };
            let value = parse(text, parameter.kind).ok_or_else(|| Error::BadValue {
                name,
                key: parameter.name,
                value: text.to_string(),
                kind: parameter.kind,
            })?;
            values.push((parameter.name, value));
        }
        Ok(Self { name, parameters, values })
    }

    /// The name of the entry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// A short text that names the same entry: without the parameters that have their default
    /// value.
    pub fn short(&self) -> String {
        let is_default = |name: &str, value: &Value| {
            let parameter = self.parameters.iter().find(|parameter| parameter.name == name);
            parameter.is_some_and(|parameter| match parameter.default {
                Preset::Value(text) => parse(text, parameter.kind).as_ref() == Some(value),
                Preset::Absent | Preset::Required => false,
            })
        };
        let values = self.values.iter().filter(|(name, value)| !is_default(name, value)).cloned().collect();
        Self { name: self.name, parameters: self.parameters, values }.to_string()
    }

    /// Whether the entry declares this parameter. For builders that several entries share.
    pub fn declares(&self, key: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == key)
    }

    /// The value of a parameter, if it has one. A key that the entry does not declare, or declares
    /// as another kind, is a mistake in the entry's builder: the first build of the entry panics.
    fn find(&self, key: &str, is_of_kind: fn(Kind) -> bool) -> Option<&Value> {
        let declared = self.parameters.iter().find(|parameter| parameter.name == key);
        let kind = declared.unwrap_or_else(|| panic!("{} declares no parameter {key:?}", self.name)).kind;
        assert!(is_of_kind(kind), "{} declares {key} as {kind}, and reads it as another kind", self.name);
        self.values.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// A whole number; 0 if the parameter has no value, or a word as its value.
    ///
    /// # Panics
    ///
    /// If the entry declares no such parameter of this kind, as do [`Self::real`] and
    /// [`Self::word`].
    pub fn count(&self, key: &str) -> usize {
        self.count_if_given(key).unwrap_or(0)
    }

    /// The same, if the parameter has a number as its value: 0 is told apart from none.
    ///
    /// # Panics
    ///
    /// As [`Self::count`].
    pub fn count_if_given(&self, key: &str) -> Option<usize> {
        match self.find(key, |kind| matches!(kind, Kind::Count(..) | Kind::CountOr(..))) {
            Some(Value::Count(n)) => Some(usize::try_from(*n).unwrap_or(usize::MAX)),
            _ => None,
        }
    }

    /// A real number, if the parameter has a value.
    pub fn real(&self, key: &str) -> Option<f64> {
        match self.find(key, |kind| matches!(kind, Kind::Real(..))) {
            Some(Value::Real(x)) => Some(*x),
            _ => None,
        }
    }

    /// A word or file name; empty if the parameter has no value, or a number as its value.
    pub fn word(&self, key: &str) -> &str {
        match self.find(key, |kind| !matches!(kind, Kind::Count(..) | Kind::Real(..))) {
            Some(Value::Word(w)) => w,
            _ => "",
        }
    }

    /// The weights of some shares, if the parameter has a value: each 1 where only their number is
    /// given.
    pub fn shares(&self, key: &str) -> Option<Vec<u32>> {
        let Value::Word(text) = self.find(key, |kind| matches!(kind, Kind::Shares(_)))? else { return None };
        match text.split_once(':') {
            Some(_) => text.split(':').map(|weight| weight.parse().ok()).collect(),
            None => text.parse().ok().map(|count| alloc::vec![1; count]),
        }
    }

    /// The weights of a word that has some.
    pub fn weights(&self, key: &str) -> Option<Vec<u32>> {
        let (_, weights) = self.word(key).split_once("(w=")?;
        weights.strip_suffix(')')?.split(':').map(|weight| weight.parse().ok()).collect()
    }
}

/// The largest weight.
const MOST_WEIGHT: u32 = 1000;

/// `name(w=3:1)`, without blanks and with every weight in range.
fn with_weights(text: &str, name: &str) -> Option<Value> {
    let inside = text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    let weights = inside.trim().strip_prefix('w')?.trim_start().strip_prefix('=')?.split(':');
    let weight = |weight: &str| weight.trim().parse().ok().filter(|weight| (1..=MOST_WEIGHT).contains(weight));
    let weights: Vec<String> = weights.map(|text| weight(text).as_ref().map(u32::to_string)).collect::<Option<_>>()?;
    Some(Value::Word(alloc::format!("{name}(w={})", weights.join(":"))))
}

/// A number of shares, or a weight for each.
fn shares(text: &str, most: u64) -> Option<Value> {
    let numbers = text.split(':').map(|number| number.trim().parse().ok());
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    let allowed = match numbers[..] {
        [count] => (1..=most).contains(&count),
        _ => numbers.len() as u64 <= most && numbers.iter().all(|weight| (1..=u64::from(MOST_WEIGHT)).contains(weight)),
    };
    let text = || numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(":");
    allowed.then(|| Value::Word(text()))
}

/// The canonical text: all parameters that have a value, in the order of the registry.
impl fmt::Display for Args {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        for (index, (key, value)) in self.values.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { "(" } else { "," })?;
        }
        if self.values.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

/// The word that a text means, in whatever letters it is written.
fn word(text: &str, words: &[&str]) -> Option<Value> {
    words.iter().find(|word| word.eq_ignore_ascii_case(text)).map(|word| Value::Word(word.to_string()))
}

fn parse(text: &str, kind: Kind) -> Option<Value> {
    match kind {
        Kind::Count(least, most) => text.parse().ok().filter(|n| (least..=most).contains(n)).map(Value::Count),
        // NaN is in no range; adding 0 makes -0 the same text as 0.
        Kind::Real(least, most) => {
            text.parse().ok().filter(|x| (least..=most).contains(x)).map(|x| Value::Real(x + 0.0))
        }
        Kind::CountOr(words, least, most) => word(text, words).or_else(|| parse(text, Kind::Count(least, most))),
        Kind::Radices(least, most) => {
            let radix = |text: &str| text.parse().ok().filter(|n: &u64| (least..=most).contains(n));
            let radices: Vec<String> =
                text.split(['x', 'X']).map(|text| radix(text).map(|n| n.to_string())).collect::<Option<_>>()?;
            Some(Value::Word(radices.join("x")))
        }
        Kind::Choice(words) => word(text, words),
        Kind::ChoiceOrWeights(words, name) => word(text, words).or_else(|| with_weights(text, name)),
        Kind::Shares(most) => shares(text, most),
        // A quote in it could not be written back.
        Kind::File | Kind::Spec => (!text.contains('"')).then(|| Value::Word(text.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, arguments: &[(&str, &str)]) -> Spec {
        let arguments = arguments.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        Spec { name: name.to_string(), arguments }
    }

    #[test]
    fn parses_what_the_contract_shows() {
        assert_eq!(Spec::parse("oq"), Ok(spec("oq", &[])));
        assert_eq!(Spec::parse(" oq() "), Ok(spec("oq", &[])));
        assert_eq!(Spec::parse("islip(iterations=4)"), Ok(spec("islip", &[("iterations", "4")])));
        assert_eq!(
            Spec::parse("serena(prune=lowest, tie=green)"),
            Ok(spec("serena", &[("prune", "lowest"), ("tie", "green")]))
        );
        assert_eq!(Spec::parse("matrix(file=\"a,b(.csv\")"), Ok(spec("matrix", &[("file", "a,b(.csv")])));
        assert_eq!(Spec::parse("f(d=wfq(w=1,v=2),e=3)"), Ok(spec("f", &[("d", "wfq(w=1,v=2)"), ("e", "3")])));
    }

    #[test]
    fn shorter_forms_mean_the_same() {
        const ONE: &[Parameter] = &[PARAMETERS[0]];
        let islip = Ok(spec("islip", &[("iterations", "4")]));
        for same in ["islip:iterations=4", "iSLIP(Iterations=4)", "ISLIP: iterations = 4"] {
            assert_eq!(Spec::parse(same), islip, "{same}");
        }
        assert_eq!(Spec::parse("islip(4)"), Ok(spec("islip", &[("", "4")])));
        assert_eq!(Spec::parse("islip:4"), Ok(spec("islip", &[("", "4")])));
        assert_eq!(Spec::parse("trace:file=A:b.csv"), Ok(spec("trace", &[("file", "A:b.csv")])));
        assert_eq!(Spec::parse("oq:"), Ok(spec("oq", &[])));
        let check = |text: &str| Args::check("x", ONE, &Spec::parse(text).unwrap()).map(|args| args.to_string());
        assert_eq!(check("x(4)").unwrap(), "x(iterations=4)");
        let several = Args::check("x", PARAMETERS, &Spec::parse("x(4)").unwrap()).unwrap_err().to_string();
        assert!(several.contains("iterations, w, tie, m, d") && several.contains("x(iterations=...)"), "{several}");
        let none = Args::check("x", &[], &Spec::parse("x(4)").unwrap()).unwrap_err().to_string();
        assert!(none.contains("takes no parameters"), "{none}");
        assert_eq!(parse("RED", PARAMETERS[2].kind), Some(Value::Word("red".to_string())));
    }

    #[test]
    fn rejects_what_is_not_a_spec() {
        for bad in [
            "",
            "(",
            ")",
            "a(",
            "a)",
            "a(b,c)",
            "a(b=)",
            "a:=b",
            ":a",
            "a(=b)",
            "a(b=1",
            "a(b=1))",
            "a(b=1,b=2)",
            "a(b=\"c)",
            "a b",
            "a(,)",
            "é",
        ] {
            assert!(matches!(Spec::parse(bad), Err(Error::Syntax { .. })), "{bad:?}");
        }
    }

    const PARAMETERS: &[Parameter] = &[
        Parameter { name: "iterations", kind: Kind::Count(1, 64), default: Preset::Value("1"), about: "" },
        Parameter { name: "w", kind: Kind::Real(0.0, 1.0), default: Preset::Absent, about: "" },
        Parameter { name: "tie", kind: Kind::Choice(&["green", "red"]), default: Preset::Value("green"), about: "" },
        Parameter { name: "m", kind: Kind::CountOr(&["2n-1", "3n-2"], 1, 9), default: Preset::Absent, about: "" },
        Parameter { name: "d", kind: Kind::ChoiceOrWeights(&["fq"], "wfq"), default: Preset::Absent, about: "" },
    ];

    fn check(text: &str) -> Result<String, Error> {
        Args::check("x", PARAMETERS, &Spec::parse(text)?).map(|args| args.to_string())
    }

    #[test]
    fn canonical_text_fills_defaults_and_orders_keys() {
        assert_eq!(check("x").unwrap(), "x(iterations=1,tie=green)");
        assert_eq!(check("x(tie=red,w=0.50)").unwrap(), "x(iterations=1,w=0.5,tie=red)");
        assert_eq!(check("x(m=2n-1)").unwrap(), "x(iterations=1,tie=green,m=2n-1)");
        assert_eq!(check("x(m=07)").unwrap(), "x(iterations=1,tie=green,m=7)");
        assert_eq!(check("x(d=fq)").unwrap(), "x(iterations=1,tie=green,d=fq)");
        let weighted = "x(iterations=1,tie=green,d=\"wfq(w=3:1)\")";
        assert_eq!(check("x(d=wfq( w = 3:01))").unwrap(), weighted);
        assert_eq!(check(weighted).unwrap(), weighted);
        let short = |text: &str| Args::check("x", PARAMETERS, &Spec::parse(text).unwrap()).unwrap().short();
        assert_eq!((short("x(iterations=01)"), short("x(tie=red,w=1)")), ("x".into(), "x(w=1,tie=red)".into()));
        let args = Args::check("x", PARAMETERS, &Spec::parse(weighted).unwrap()).unwrap();
        assert_eq!((args.weights("d"), args.weights("tie")), (Some([3, 1].into()), None));
    }

    #[test]
    fn what_has_no_value_is_zero_or_empty() {
        let args = Args::check("x", PARAMETERS, &Spec::parse("x(m=2n-1)").unwrap()).unwrap();
        assert_eq!((args.count("iterations"), args.real("w"), args.word("d")), (1, None, ""));
        assert_eq!((args.word("m"), args.count("m")), ("2n-1", 0));
        assert!(args.declares("w") && !args.declares("v"));
    }

    #[test]
    #[should_panic(expected = "x declares no parameter \"iteration\"")]
    fn a_key_that_is_not_declared_is_a_mistake() {
        Args::check("x", PARAMETERS, &Spec::parse("x").unwrap()).unwrap().count("iteration");
    }

    #[test]
    #[should_panic(expected = "x declares w as a number from 0 to 1")]
    fn a_value_of_another_kind_is_a_mistake() {
        Args::check("x", PARAMETERS, &Spec::parse("x(w=1)").unwrap()).unwrap().count("w");
    }

    #[test]
    fn bad_arguments_are_named() {
        for (bad, part) in [
            ("x(iteration=2)", "iterations"),
            ("x(iterations=0)", "from 1 to 64"),
            ("x(iterations=1e9)", "whole number"),
            ("x(w=NaN)", "from 0 to 1"),
            ("x(w=inf)", "from 0 to 1"),
            ("x(tie=blue)", "green, red"),
            ("x(m=2n)", "2n-1, 3n-2 or a whole number from 1 to 9"),
            ("x(d=wfq)", "wfq(w=3:1:...)"),
            ("x(d=wfq(w=0:1))", "from 1 to 1000"),
            ("x(d=wfq(w=1:))", "from 1 to 1000"),
            ("x(d=wfq(v=1))", "from 1 to 1000"),
            ("x(d=wfq(w=1001))", "from 1 to 1000"),
            ("x(m=10)", "2n-1, 3n-2 or a whole number from 1 to 9"),
        ] {
            let message = check(bad).unwrap_err().to_string();
            assert!(message.contains(part), "{bad}: {message}");
        }
    }
}
