//! What a page asks for: lines of `key=value`.

use crate::MOST_PORTS;
use switchlab_core::registry::{self, Files};
use switchlab_core::traffic::Trace;
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Error, Port, Slot};

/// A cell that the viewer has added. It takes the place of what the input would receive in its
/// slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// The slot.
    pub slot: Slot,
    /// The input.
    pub input: Port,
    /// The output.
    pub output: Port,
}

/// A run of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The spec of the switch.
    pub switch: String,
    /// The number of ports.
    pub ports: usize,
    /// The spec of the traffic. `matrix` and `trace` read [`Self::file`].
    pub traffic: String,
    /// The spec of the arrival process.
    pub arrivals: String,
    /// The load; None leaves a matrix as it is written.
    pub load: Option<f64>,
    /// The seed.
    pub seed: u64,
    /// Cells added by the viewer.
    pub added: Vec<Added>,
    /// The file that a traffic spec names: its text.
    pub file: String,
}

/// The most cells that can be added.
const MOST_ADDED: usize = 256;
/// The most cells of a trace.
const MOST_CELLS: usize = 1_000_000;

impl Request {
    /// Reads lines of `key=value`. Everything after a line `file` is the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut request = Self {
            switch: "islip".into(),
            ports: 4,
            traffic: "uniform".into(),
            arrivals: "bernoulli".into(),
            load: None,
            seed: 1,
            added: Vec::new(),
            file: String::new(),
        };
        let (lines, file) = text.split_once("\nfile\n").unwrap_or((text, ""));
        request.file = file.into();
        for line in lines.lines() {
            let (key, value) = line.split_once('=').ok_or_else(|| format!("{line:?} is not key=value"))?;
            let bad = |what: &str| format!("{key} {value:?} is not {what}");
            match key {
                "switch" => request.switch = value.into(),
                "ports" => {
                    let ports = value.parse().ok().filter(|ports| (2..=MOST_PORTS).contains(ports));
                    request.ports = ports.ok_or_else(|| bad("a whole number from 2 to 64"))?;
                }
                "traffic" => request.traffic = value.into(),
                "arrivals" => request.arrivals = value.into(),
                "load" if value.is_empty() => request.load = None,
                "load" => {
                    let load = value.parse().ok().filter(|load: &f64| load.is_finite());
                    request.load = Some(load.ok_or_else(|| bad("a number"))?);
                }
                "seed" => request.seed = value.parse().map_err(|_| bad("a whole number below 2^64"))?,
                "added" => request.added = added(value, request.ports).map_err(|what| bad(&what))?,
                _ => return Err(format!("there is no {key:?}")),
            }
        }
        if request.added.iter().any(|cell| usize::from(cell.input.max(cell.output)) >= request.ports) {
            return Err("an added cell has a port that the switch does not have".into());
        }
        Ok(request)
    }

    /// The traffic and the arrival process in their canonical forms, checked, and the source.
    pub(crate) fn source(&self) -> Result<Source, Error> {
        let chosen = registry::traffic(&self.traffic)?;
        let traffic = chosen.build(Some(self.ports), self.load, &OneFile(&self.file))?;
        let arrivals = registry::arrivals(&self.arrivals)?;
        Ok(Source {
            traffic_spec: chosen.args.to_string(),
            arrivals_spec: arrivals.args.to_string(),
            chosen,
            traffic,
            arrivals,
        })
    }
}

/// Traffic, chosen and built.
pub(crate) struct Source {
    pub(crate) traffic_spec: String,
    pub(crate) arrivals_spec: String,
    pub(crate) chosen: registry::Chosen<registry::BuildTraffic>,
    pub(crate) traffic: registry::Traffic,
    pub(crate) arrivals: registry::Chosen<registry::BuildArrivals>,
}

/// `slot.input.output`, separated by spaces.
fn added(text: &str, ports: usize) -> Result<Vec<Added>, String> {
    let cell = |word: &str| {
        let mut numbers = word.split('.').map(str::parse::<u32>);
        let mut next = || numbers.next().and_then(Result::ok);
        let (slot, input, output) = (next()?, next()?, next()?);
        let fits = |port: u32| (port as usize) < ports;
        let cell = Added { slot, input: input as Port, output: output as Port };
        (next().is_none() && fits(input) && fits(output)).then_some(cell)
    };
    let mut cells: Vec<Added> = Vec::new();
    for word in text.split_whitespace() {
        let new = cell(word).ok_or("a list of slot.input.output with ports of the switch")?;
        cells.retain(|cell| (cell.slot, cell.input) != (new.slot, new.input));
        cells.push(new);
        if cells.len() > MOST_ADDED {
            return Err(format!("a list of at most {MOST_ADDED} cells"));
        }
    }
    Ok(cells)
}

/// The file that was dropped onto the page. Every name stands for it.
struct OneFile<'a>(&'a str);

impl OneFile<'_> {
    fn lines(&self) -> Result<impl Iterator<Item = (usize, &str)>, Error> {
        if self.0.trim().is_empty() {
            return Err(Error::File("there is no file yet: drop one onto the page".into()));
        }
        let lines = self.0.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        Ok(lines.filter(|(_, line)| !line.is_empty()))
    }
}

impl Files for OneFile<'_> {
    fn matrix(&self, _: &str) -> Result<(usize, Vec<f64>), Error> {
        let (mut ports, mut rates) = (0, Vec::new());
        for (number, line) in self.lines()? {
            for word in line.split(',') {
                let rate = word.trim().parse().ok().filter(|rate: &f64| rate.is_finite());
                rates.push(rate.ok_or_else(|| Error::File(format!("line {number}: {word:?} is not a rate")))?);
            }
            ports += 1;
            if ports > MOST_PORTS || rates.len() > MOST_PORTS * MOST_PORTS {
                return Err(Error::File(format!(
                    "line {number}: a matrix here has at most {MOST_PORTS} lines and rates"
                )));
            }
        }
        Ok((ports, rates))
    }

    fn trace(&self, _: &str, ports: Option<usize>) -> Result<Trace, Error> {
        let mut lines = self.lines()?;
        let header = "slot,input,output";
        if !lines.next().is_some_and(|(_, line)| line == header || line.starts_with("slot,input,output,")) {
            return Err(Error::File(format!("line 1: a trace begins with the header {header}")));
        }
        let mut cells = Vec::new();
        for (number, line) in lines {
            let mut words = line.split(',').map(|word| word.trim().parse::<u32>());
            let mut next = || words.next().and_then(Result::ok);
            let cell = next()
                .zip(next())
                .zip(next())
                .filter(|((_, input), output)| (*input).max(*output) < u32::from(Port::MAX));
            let ((slot, input), output) =
                cell.ok_or_else(|| Error::File(format!("line {number}: {line:?} is not slot,input,output")))?;
            cells.push(Arrival { slot, input: input as Port, output: output as Port });
            if cells.len() > MOST_CELLS {
                return Err(Error::File(format!("line {number}: a trace here has at most {MOST_CELLS} cells")));
            }
        }
        Trace::new(ports.unwrap_or(MOST_PORTS), cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_or_refused() {
        let request =
            Request::parse("switch=pim\nports=8\nload=0.5\nadded=3.1.2 4.7.0 3.1.5\nfile\nslot,input,output\n0,1,2")
                .unwrap();
        assert_eq!((request.switch.as_str(), request.ports, request.load), ("pim", 8, Some(0.5)));
        let cell = |slot, input, output| Added { slot, input, output };
        assert_eq!(request.added, [cell(4, 7, 0), cell(3, 1, 5)], "the later cell of an input and slot counts");
        assert_eq!(request.file, "slot,input,output\n0,1,2");
        for bad in [
            "ports=1",
            "ports=65",
            "ports=x",
            "load=inf",
            "seed=-1",
            "added=1.2",
            "added=0.4.0",
            "added=0.0.0.0",
            "what=1",
            "x",
        ] {
            assert!(Request::parse(bad).is_err(), "{bad}");
        }
        assert!(Request::parse("added=0.3.3\nports=2").is_err());
    }

    #[test]
    fn files_are_read_or_refused() {
        let source = |traffic: &str, file: &str| {
            let request = Request { traffic: traffic.into(), file: file.into(), ..Request::parse("ports=2").unwrap() };
            request.source().map(|source| source.traffic.ports()).map_err(|error| error.to_string())
        };
        assert_eq!(source("matrix(file=x)", "0.5,0.2\n0.1,0.8\n"), Ok(2));
        assert_eq!(source("trace(file=x)", "slot,input,output\n0,1,0\n7,1,1\n"), Ok(2));
        for (traffic, file) in [
            ("matrix(file=x)", ""),
            ("matrix(file=x)", "0.5,0.2\n0.1\n"),
            ("matrix(file=x)", "0.5,0.2\n0.6,nan\n"),
            ("trace(file=x)", "slot,input\n0,1"),
            ("trace(file=x)", "slot,input,output\n0,1,2"),
            ("trace(file=x)", "slot,input,output\n0,1,99999"),
            ("trace(file=x)", "slot,input,output\n4,1,1\n3,1,1"),
            ("trace(file=x)", "slot,input,output\n4,1,1\n4,1,0"),
        ] {
            assert!(source(traffic, file).is_err(), "{file:?}");
        }
    }
}
