//! `component.variable=value`, as given to `--set` on the command line.

use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Literal};
use consort_system::{Parameter, Spanned, SystemDescription};
use consort_toml::parse_literal;

/// A value for a variable of a component.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The name of the component.
    pub component: String,
    /// Which of its variables.
    pub variable: String,
    /// The value to set.
    pub value: Literal,
    /// The unit the value is in, if not the variable's own.
    pub unit: Option<String>,
}

/// Reads `tank.area=1.5`, `tank.level0=20 cm`, `rod.gains=[1, 2]`, `pid.mode=manual`.
///
/// The value is written as in `system.toml`; what is no such value is taken as text. A unit may
/// follow a number or a list after a blank.
///
/// # Errors
/// A diagnostic if the text is no assignment.
pub fn parse_assignment(text: &str) -> Result<Assignment, Box<Diagnostic>> {
    let problem = |message: String| {
        let help =
            "write `component.variable=value`, such as `tank.area=1.5` or `tank.level0=20 cm`";
        Box::new(Diagnostic::error("set::bad-assignment", message).help(help))
    };
    let (path, value) =
        text.split_once('=').ok_or_else(|| problem(format!("`{text}` has no `=`")))?;
    let (path, value) = (path.trim(), value.trim());
    let (component, variable) = path
        .split_once('.')
        .filter(|(component, variable)| !component.is_empty() && !variable.is_empty())
        .ok_or_else(|| problem(format!("`{path}` names no variable of a component")))?;
    if value.is_empty() {
        return Err(problem(format!("`{path}` is given no value")));
    }
    let (value, unit) = split_value(value);
    Ok(Assignment {
        component: component.to_owned(),
        variable: variable.to_owned(),
        value,
        unit: unit.map(str::to_owned),
    })
}

fn split_value(text: &str) -> (Literal, Option<&str>) {
    if let Some(value) = parse_literal(text) {
        return (value, None);
    }
    let end = match text.rfind(']') {
        Some(end) if text.starts_with('[') => end + 1,
        _ => text.find(char::is_whitespace).unwrap_or(text.len()),
    };
    let (number, unit) = (&text[..end], text[end..].trim());
    match parse_literal(number) {
        Some(value) if !unit.is_empty() && takes_unit(&value) => (value, Some(unit)),
        _ => (Literal::Text(text.to_owned()), None),
    }
}

fn takes_unit(value: &Literal) -> bool {
    matches!(value, Literal::Integer(_) | Literal::Float(_) | Literal::Array(_))
}

impl Assignment {
    /// Gives the value to the system's component, in place of what the system says.
    ///
    /// # Errors
    /// A diagnostic if the system has no such component; whether it has such a variable is found
    /// out when the system is resolved.
    pub fn apply(self, system: &mut SystemDescription) -> Result<(), Box<Diagnostic>> {
        let names = system.components.iter().map(|component| component.name.value.as_str());
        let nearest = nearest_name(&self.component, names).map(str::to_owned);
        let component = system.components.iter_mut().find(|part| part.name.value == self.component);
        let Some(component) = component else {
            let message = format!("`{}` is no component of this system", self.component);
            let mut diagnostic = Diagnostic::error("set::unknown-component", message);
            if let Some(name) = nearest {
                diagnostic = diagnostic.help(format!("did you mean `{name}`?"));
            }
            return Err(Box::new(diagnostic));
        };
        component.parameters.retain(|parameter| parameter.name.value != self.variable);
        component.parameters.push(Parameter {
            name: Spanned::assumed(self.variable),
            value: Spanned::assumed(self.value),
            unit: self.unit.map(Spanned::assumed),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let actual = match parse_assignment(text) {
            Ok(set) => format!("{}|{}|{}|{:?}", set.component, set.variable, set.value, set.unit),
            Err(diagnostic) => diagnostic.message,
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn values_are_written_as_in_a_system_or_are_text() {
        check("tank.area=1.5", "tank|area|1.5|None");
        check("tank.level0=20 cm", "tank|level0|20|Some(\"cm\")");
        check("tank.q = 1.5 m3/s ", "tank|q|1.5|Some(\"m3/s\")");
        check("tank.torque=2 kN m", "tank|torque|2|Some(\"kN m\")");
        check("rod.gains=[1, 2.5] cm", "rod|gains|[1, 2.5]|Some(\"cm\")");
        check("rod.gains=[[1,2],[3,4]]", "rod|gains|[[1, 2], [3, 4]]|None");
        check("pid.mode=manual", "pid|mode|\"manual\"|None");
        check("pid.title=two words", "pid|title|\"two words\"|None");
        check("pid.title=\"1.5\"", "pid|title|\"1.5\"|None");
        check("pid.title=a=b", "pid|title|\"a=b\"|None");
        check("pid.on=true", "pid|on|true|None");
        check("a.sub.x[2]=0x10", "a|sub.x[2]|16|None");
        check("a.n=18446744073709551615", "a|n|18446744073709551615|None");
        check("a.x=-1e-3", "a|x|-0.001|None");
    }

    #[test]
    fn what_is_no_assignment_is_said() {
        check("tank.area", "`tank.area` has no `=`");
        check("area=1", "`area` names no variable of a component");
        check(".area=1", "`.area` names no variable of a component");
        check("tank.=1", "`tank.` names no variable of a component");
        check("tank.area=", "`tank.area` is given no value");
    }
}
