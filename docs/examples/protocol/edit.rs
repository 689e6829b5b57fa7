//! The exact, unique match as a strategy for editgauge: one JSON object a line each way (docs/protocol.md).
//!
//!     rustc -O edit.rs && editgauge run house -s 'cmd:mine=./edit'
//!
//! A program of your own will use serde_json; this one needs no crate. Texts are UTF-16, in which JSON's escapes are
//! written, so that lone surrogates survive.

use std::io::{self, BufRead, Write};

type Text = Vec<u16>;

enum Value {
    Text(Text),
    List(Vec<Value>),
    Object(Vec<(Text, Value)>),
    Other(bool),
}

impl Value {
    fn field(&self, name: &str) -> &Value {
        let Value::Object(fields) = self else {
            panic!("no object")
        };
        let name: Text = name.encode_utf16().collect();
        &fields
            .iter()
            .find(|(key, _)| *key == name)
            .expect("a field is missing")
            .1
    }

    fn items(&self) -> &[Value] {
        let Value::List(items) = self else { panic!("no list") };
        items
    }

    fn text(&self) -> &[u16] {
        let Value::Text(text) = self else { panic!("no text") };
        text
    }
}

/// Reads JSON that is well-formed.
struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Reader<'_> {
    fn next(&mut self) -> char {
        self.rest.next().expect("the line ends too early")
    }

    fn skip_blanks(&mut self) -> char {
        while self.rest.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        *self.rest.peek().expect("the line ends too early")
    }

    fn value(&mut self) -> Value {
        match self.skip_blanks() {
            '"' => Value::Text(self.text()),
            '[' => Value::List(self.members(']', Self::value)),
            '{' => Value::Object(self.members('}', |reader| {
                reader.skip_blanks();
                let key = reader.text();
                reader.skip_blanks();
                reader.next(); // the colon
                (key, reader.value())
            })),
            first => {
                while self.rest.next_if(|c| !",]}".contains(*c)).is_some() {}
                Value::Other(first == 't')
            }
        }
    }

    fn members<T>(&mut self, close: char, member: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut found = Vec::new();
        self.next();
        while self.skip_blanks() != close {
            found.push(member(self));
            if self.skip_blanks() == ',' {
                self.next();
            }
        }
        self.next();
        found
    }

    fn text(&mut self) -> Text {
        let mut text = Text::new();
        self.next();
        loop {
            match self.next() {
                '"' => return text,
                '\\' => text.push(match self.next() {
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'b' => 8,
                    'f' => 12,
                    'u' => (0..4).fold(0, |code, _| {
                        code * 16 + self.next().to_digit(16).expect("no digit") as u16
                    }),
                    other => other as u16,
                }),
                other => text.extend_from_slice(other.encode_utf16(&mut [0; 2])),
            }
        }
    }
}

fn quoted(text: &[u16]) -> String {
    let mut line = String::with_capacity(text.len() + 2);
    line.push('"');
    for &unit in text {
        match unit {
            0x22 | 0x5c => line.extend(['\\', unit as u8 as char]),
            0x20..=0x7e => line.push(unit as u8 as char),
            _ => line.push_str(&format!("\\u{unit:04x}")),
        }
    }
    line.push('"');
    line
}

fn find(content: &[u16], old: &[u16], from: usize) -> Option<usize> {
    let length = old.len();
    (from..=content.len().checked_sub(length)?).find(|&at| content[at] == old[0] && content[at..at + length] == *old)
}

fn edited(mut content: Text, edits: &[Value]) -> Result<Text, &'static str> {
    for edit in edits {
        let (old, new) = (edit.field("old_string").text(), edit.field("new_string").text());
        if old == new {
            return Err("identical");
        }
        if old.is_empty() {
            return Err("empty");
        }
        let mut at = find(&content, old, 0).ok_or("no_match")?;
        if !matches!(edit.field("replace_all"), Value::Other(true)) {
            if find(&content, old, at + 1).is_some() {
                return Err("ambiguous");
            }
            content.splice(at..at + old.len(), new.iter().copied());
            continue;
        }
        loop {
            content.splice(at..at + old.len(), new.iter().copied());
            match find(&content, old, at + new.len()) {
                Some(next) => at = next,
                None => break,
            }
        }
    }
    Ok(content)
}

fn main() -> io::Result<()> {
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let request = Reader {
            rest: line.chars().peekable(),
        }
        .value();
        let (id, file) = (quoted(request.field("id").text()), &request.field("before").items()[0]);
        let outcome = match edited(file.field("content").text().to_vec(), request.field("edits").items()) {
            Ok(content) => {
                let (path, content) = (quoted(file.field("path").text()), quoted(&content));
                format!(r#""status":"applied","after":[{{"path":{path},"content":{content}}}]"#)
            }
            Err(reason) => format!(r#""status":"rejected","reason":"{reason}""#),
        };
        writeln!(answers, r#"{{"id":{id},{outcome}}}"#)?;
    }
    Ok(())
}
