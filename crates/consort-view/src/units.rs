//! Units as people write them: `m³/s` for `m3/s`, `kg·m²` for `kg.m2`, `°C` for `degC`.

/// A unit expression for a person to read; what is not understood stays as it is.
pub fn readable_unit(unit: &str) -> String {
    let mut readable = String::new();
    let mut rest = unit.trim();
    while !rest.is_empty() {
        let end = rest.find(['.', '*', '/', '(', ')', ' ', '·']).unwrap_or(rest.len());
        readable.push_str(&factor(&rest[..end]));
        let Some(operator) = rest[end..].chars().next() else { break };
        readable.push(match operator {
            '.' | '*' => '·',
            other => other,
        });
        rest = &rest[end + operator.len_utf8()..];
    }
    readable
}

/// One factor with its exponent: `m2`, `s-1`, `s^2`, `degC`.
fn factor(text: &str) -> String {
    let is_exponent = |character: char| character.is_ascii_digit() || character == '-';
    let name = text.trim_end_matches(is_exponent);
    let exponent = &text[name.len()..];
    let name = name.trim_end_matches('^');
    let is_power = exponent.strip_prefix('-').unwrap_or(exponent).parse::<u32>().is_ok();
    if !is_power || !name.chars().any(char::is_alphabetic) {
        return symbol(text).to_owned();
    }
    format!("{}{}", symbol(name), superscript(exponent))
}

fn symbol(name: &str) -> &str {
    match name {
        "degC" => "°C",
        "degF" => "°F",
        "deg" => "°",
        "Ohm" | "ohm" => "Ω",
        other => other,
    }
}

/// Digits and minus signs, raised.
pub(crate) fn superscript(digits: &str) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |character: char| match character.to_digit(10) {
        Some(digit) => RAISED[digit as usize],
        None if character == '-' => '⁻',
        None => character,
    };
    digits.chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_written_as_people_write_them() {
        let cases = [
            ("m", "m"),
            ("m3/s", "m³/s"),
            ("kg.m2/s3", "kg·m²/s³"),
            ("s-1", "s⁻¹"),
            ("m^2", "m²"),
            ("degC", "°C"),
            ("J/(kg.K)", "J/(kg·K)"),
            ("1", "1"),
            ("1/min", "1/min"),
            ("%", "%"),
            ("N*m", "N·m"),
            ("", ""),
            ("rad/s", "rad/s"),
            ("-", "-"),
            ("m--2", "m--2"),
        ];
        for (given, expected) in cases {
            assert_eq!(readable_unit(given), expected, "{given}");
        }
    }
}
