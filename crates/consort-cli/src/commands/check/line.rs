//! Where a violation is written in the text of a plan.

use consort_check::{PlanAction, Violation};

/// A line with something on it.
struct Line<'t> {
    /// Counted from 1.
    number: usize,
    /// How many steps it is indented by.
    depth: usize,
    text: &'t str,
}

/// The line of a plan that breaks the contract: the operation's, or its stage's. `None` if the
/// program lacks something at its end.
///
/// The text was read without mistakes, so its indentation says all.
pub(super) fn of(violation: &Violation, text: &str) -> Option<usize> {
    let lines = lines(text);
    let title = violation.program.to_string();
    let mut start = lines.iter().position(|line| line.depth == 0 && line.text == title)?;
    for (&nth, depth) in violation.stage.iter().zip(1..) {
        let is_stage = |(_, line): &(usize, &Line<'_>)| line.depth == depth;
        start = below(&lines, start).filter(is_stage).nth(nth.checked_sub(1)?)?.0;
    }
    if violation.stage.is_empty() {
        return None;
    }
    let operation = below(&lines, start).find(|(_, line)| is_about(&violation.action, line.text));
    Some(operation.map_or(lines[start].number, |(_, line)| line.number))
}

/// What stands below a line and belongs to it.
fn below<'l, 't>(
    lines: &'l [Line<'t>],
    start: usize,
) -> impl Iterator<Item = (usize, &'l Line<'t>)> {
    let depth = lines[start].depth;
    lines.iter().enumerate().skip(start + 1).take_while(move |(_, line)| depth < line.depth)
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let depth = (line.len() - content.len()) / 2;
        let text = content.split('#').next().unwrap_or_default().trim_end();
        lines.push(Line { number, depth, text });
    }
    lines
}

/// Whether a line of a stage is the one of this action.
fn is_about(action: &PlanAction, line: &str) -> bool {
    let component = match action {
        PlanAction::Get(path) | PlanAction::Set(path) | PlanAction::Tick(path) => {
            path.split('.').next()
        }
        PlanAction::Step(name) | PlanAction::Task(name) => Some(name.as_str()),
        PlanAction::Exchange(connection) => return line.starts_with(connection.as_str()),
        _ => None,
    };
    let Some(component) = component else { return false };
    let named = line.strip_prefix('"').unwrap_or(line).strip_prefix(component);
    named.is_some_and(|rest| rest.starts_with(':') || rest.starts_with("\":"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_check::{At, CheckedProgram, Fault};

    const PLAN: &str = "plan p order derived
# a remark
initialization
present
  exchange
    a.y -> b.u
    b.y -> c.u   # the other

  iterate newton
    exchange
      c.y -> a.u
    work
      a: set u; get y
      \"b c\": get y
advance
  work
    a: step
";

    fn check(program: CheckedProgram, stage: &[usize], action: PlanAction, line: Option<usize>) {
        let (stage, tag, fault) = (stage.to_vec(), At::Later, Fault::Twice);
        let violation = Violation { program, stage, tag, action, fault };
        assert_eq!(of(&violation, PLAN), line, "{violation}");
    }

    #[test]
    fn an_operation_has_its_line_or_that_of_its_stage() {
        let text = str::to_owned;
        check(CheckedProgram::Present, &[1], PlanAction::Exchange(text("b.y -> c.u")), Some(7));
        check(CheckedProgram::Present, &[1], PlanAction::Exchange(text("c.y -> a.u")), Some(5));
        check(CheckedProgram::Present, &[2], PlanAction::Iterate, Some(9));
        check(CheckedProgram::Present, &[2, 1], PlanAction::Exchange(text("c.y -> a.u")), Some(11));
        check(CheckedProgram::Present, &[2, 2], PlanAction::Get(text("a.y")), Some(13));
        check(CheckedProgram::Present, &[2, 2], PlanAction::Set(text("b c.u")), Some(14));
        check(CheckedProgram::Advance, &[1], PlanAction::Step(text("a")), Some(17));
        check(CheckedProgram::Advance, &[], PlanAction::Step(text("b")), None);
        check(CheckedProgram::Advance, &[2], PlanAction::Step(text("a")), None);
    }
}
