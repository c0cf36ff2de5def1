//! Options of the commands that draw pictures of results.

use clap::{Args, ValueEnum};
use switchlab_lab::LabError;
use switchlab_lab::figure;
use switchlab_lab::picture::Picture;
use switchlab_lab::plot::Size;

// Without a doc comment: clap would take it for the help of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Look {
    /// What to draw
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<Kind>,

    /// Another title
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    pub(crate) title: Option<String>,

    /// Leave out title and subtitle, for a figure with a caption
    #[arg(long)]
    pub(crate) no_title: bool,

    /// Another name for a line, as --label 'islip(iterations=4)=iSLIP, 4 iterations'; may be given
    /// again
    #[arg(long = "label", value_name = "SPEC=TEXT", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,

    /// Width of the picture: 88mm, 8.8cm or 3.5in for print, with type of 7 to 8 points, or 600px
    /// for a screen [default: 800px]
    #[arg(long, value_name = "WIDTH", value_parser = Size::parse)]
    pub(crate) width: Option<Size>,
}

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// One value against another; of a run, the mean delay of each switch
    Curve,
    /// The share of cells that wait longer than d slots, with 95 % bands
    Ccdf,
    /// The backlog over time, with 95 % bands
    Backlog,
    /// The rates from inputs to outputs, as a heat map
    Matrix,
    /// The mean number of cells of each input for each output inside one switch, as a heat map; of
    /// a run only
    Voq,
}

impl From<Kind> for figure::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Curve => Self::Curve,
            Kind::Ccdf => Self::Ccdf,
            Kind::Backlog => Self::Backlog,
            Kind::Matrix => Self::Matrix,
            Kind::Voq => Self::Voq,
        }
    }
}

impl Look {
    /// The size of the picture.
    pub(crate) fn size(&self) -> Size {
        self.width.unwrap_or_default()
    }

    /// The picture with the title and the names asked for.
    pub(crate) fn apply(&self, mut picture: Picture) -> Result<Picture, LabError> {
        if let Some(title) = &self.title {
            picture.set_title(title);
        }
        if self.no_title {
            picture.hide_title();
        }
        picture.relabel(&self.labels)?;
        Ok(picture)
    }
}

/// A spec and a text. The first = outside brackets divides.
fn label(text: &str) -> Result<(String, String), String> {
    let mut depth = 0;
    let divides = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == '=' && depth <= 0
    };
    let parts = text.find(divides).map(|at| (text[..at].trim(), text[at + 1..].trim()));
    parts
        .filter(|(spec, name)| !spec.is_empty() && !name.is_empty())
        .map(|(spec, name)| (spec.to_string(), name.to_string()))
        .ok_or_else(|| "write SPEC=TEXT, such as 'islip(iterations=4)=iSLIP'".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        let parts = |text: &str| label(text).map(|(spec, name)| format!("{spec}|{name}"));
        assert_eq!(parts("oq=ideal"), Ok("oq|ideal".to_string()));
        assert_eq!(parts("islip(iterations=4)=a = b"), Ok("islip(iterations=4)|a = b".to_string()));
        assert!(["", "oq", "=x", "oq=", "islip(iterations=4)"].iter().all(|bad| label(bad).is_err()));
    }
}
