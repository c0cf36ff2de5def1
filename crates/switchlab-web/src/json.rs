//! JSON as text. Numbers, strings, arrays and objects are all that a page needs, and a serialiser
//! would be a third of the module.

use core::fmt::Write;

/// A JSON text under construction. Commas are its own concern.
#[derive(Default)]
pub(crate) struct Json {
    text: String,
    /// Whether a value at this place needs a comma before it.
    comma: bool,
}

impl Json {
    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
        self.comma = true;
    }

    fn open(&mut self, bracket: char) {
        self.separate();
        self.text.push(bracket);
        self.comma = false;
    }

    fn close(&mut self, bracket: char) {
        self.text.push(bracket);
        self.comma = true;
    }

    /// A number or another value whose display is its JSON.
    pub(crate) fn value(&mut self, value: impl core::fmt::Display) {
        self.separate();
        let _ = write!(self.text, "{value}");
    }

    /// A string.
    pub(crate) fn string(&mut self, text: &str) {
        self.separate();
        self.quoted(text);
    }

    fn quoted(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    self.text.push('\\');
                    self.text.push(c);
                }
                c if (c as u32) < 0x20 => {
                    let _ = write!(self.text, "\\u{:04x}", c as u32);
                }
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    /// The key of the value that follows.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        self.quoted(key);
        self.text.push(':');
        self.comma = false;
        self
    }

    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.open('{');
        fill(self);
        self.close('}');
    }

    pub(crate) fn array<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.open('[');
        for item in items {
            write(self, item);
        }
        self.close(']');
    }

    /// An array of numbers.
    pub(crate) fn numbers<T: core::fmt::Display>(&mut self, items: impl IntoIterator<Item = T>) {
        self.array(items, Self::value);
    }

    /// An array of ports, with -1 for none.
    pub(crate) fn ports(&mut self, ports: &[u16]) {
        self.numbers(ports.iter().map(|&port| if port == u16::MAX { -1 } else { i32::from(port) }));
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// An object with an error message.
pub(crate) fn error(message: &str) -> String {
    let mut json = Json::default();
    json.object(|json| json.key("error").string(message));
    json.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut json = Json::default();
        let text = "a \"quoted\" \\ line\nand \u{1} a bell";
        json.object(|json| {
            json.key("text").string(text);
            json.key("empty").array([0; 0], |_, _| ());
            json.key("ports").ports(&[3, u16::MAX]);
            json.key("nested").array([1, 2], |json, item| json.object(|json| json.key("n").value(item)));
            json.key("last").value(true);
        });
        let read: serde_json::Value = serde_json::from_str(&json.finish()).unwrap();
        let nested = serde_json::json!([{"n": 1}, {"n": 2}]);
        let expected = serde_json::json!({"text": text, "empty": [], "ports": [3, -1], "nested": nested, "last": true});
        assert_eq!(read, expected);
    }
}
