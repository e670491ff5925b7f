//! What is wrong with a text that is no time.

/// Why a text is not a number of seconds, as a reader tells the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TimeMistake {
    /// A number, which an exact fraction of 64 bits cannot be.
    OutOfRange,
    /// A number with a unit; how it is written in seconds, if the unit is one of time.
    Unit(Option<String>),
    /// A number with a comma; the same with a point.
    Comma(String),
    /// Something else.
    Other,
}

/// Units of time, and what stands behind a number instead of them.
const UNITS: [(&str, &str); 8] = [
    ("s", ""),
    ("sec", ""),
    ("seconds", ""),
    ("ms", "e-3"),
    ("us", "e-6"),
    ("µs", "e-6"),
    ("μs", "e-6"),
    ("ns", "e-9"),
];

impl TimeMistake {
    /// What is wrong with a text that could not be read.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let parts: Vec<&str> = text.split('/').collect();
        let is_zero = |part: &&str| {
            part.trim().parse::<f64>().is_ok_and(|number| number.abs().to_bits() == 0)
        };
        if parts.get(1).is_some_and(is_zero) {
            return TimeMistake::Other;
        }
        if parts.len() <= 2 && parts.iter().all(|part| is_number(part.trim())) {
            return TimeMistake::OutOfRange;
        }
        let pointed = text.replacen(',', ".", 1);
        if pointed != text && is_number(&pointed) {
            return TimeMistake::Comma(pointed);
        }
        let number = text.trim_end_matches(|it: char| it.is_alphabetic() || it == '°').trim_end();
        if number.len() == text.len() || !is_number(number) {
            return TimeMistake::Other;
        }
        let unit = text[number.len()..].trim();
        let known = UNITS.iter().find(|(name, _)| *name == unit);
        let is_plain = !number.contains(['e', 'E']);
        let known = known.filter(|(_, power)| is_plain || power.is_empty());
        TimeMistake::Unit(known.map(|(_, power)| format!("{number}{power}")))
    }

    /// The remark at the place of the text.
    pub fn label(&self) -> &'static str {
        match self {
            TimeMistake::OutOfRange => "does not fit in 64 bits: too large, or too many digits",
            TimeMistake::Unit(_) => "a time is a number of seconds, without a unit",
            TimeMistake::Comma(_) => "the decimal point is `.`",
            TimeMistake::Other => "not a number of seconds",
        }
    }

    /// What to do; `fraction` is how a fraction is written there.
    pub fn help(&self, fraction: &str) -> String {
        match self {
            TimeMistake::Unit(Some(number)) | TimeMistake::Comma(number) => {
                format!("write `{number}`")
            }
            TimeMistake::OutOfRange => {
                "a time is a fraction of two whole numbers of 64 bits: use fewer digits, or \
                                        a smaller time"
                    .to_owned()
            }
            _ => format!("write seconds: `0.1`, or {fraction}"),
        }
    }
}

fn is_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    text.chars().all(is_part) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_recognized() {
        let check = |text: &str, expected: TimeMistake| {
            assert_eq!(TimeMistake::of(text), expected, "{text}");
        };
        let unit = |number: &str| TimeMistake::Unit(Some(number.to_owned()));
        check("1s", unit("1"));
        check("100 ms", unit("100e-3"));
        check("1e-3s", unit("1e-3"));
        check("1e2 ms", TimeMistake::Unit(None));
        check("3 min", TimeMistake::Unit(None));
        check("0,1", TimeMistake::Comma("0.1".to_owned()));
        check("1e30", TimeMistake::OutOfRange);
        check("1/99999999999999999999", TimeMistake::OutOfRange);
        check("soon", TimeMistake::Other);
        check("", TimeMistake::Other);
        check("1/", TimeMistake::Other);
        check("1/0", TimeMistake::Other);
    }
}
