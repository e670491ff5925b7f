//! A plan as a page of text.

mod federation;
mod late;
mod nodes;
mod order;

use crate::output::printer::Printer;
use consort::Prepared;
use consort_planner::{
    ApartExplanation, EqualDelay, Explanation, LoopExplanation, LoopProgram, Path,
    TogetherExplanation,
};
use consort_system::Projection;
use consort_view::numbers::plural;
use consort_view::page::Page;

/// How wide the text is.
const WIDTH: usize = 110;
/// The most lines a list or a table has unless everything is wanted.
const LINES_MAX: usize = 12;
/// The same for the table of federates, in which a federate may have several lines.
const FEDERATION_MAX: usize = 20;
/// A longer program is not on the page unless everything is wanted.
const PROGRAM_MAX: usize = 60;

pub(super) fn page(
    prepared: &Prepared,
    explanation: &Explanation,
    projection: Option<&Projection>,
    printer: &Printer,
) -> String {
    let lines_max = if printer.is_verbose() { usize::MAX } else { LINES_MAX };
    let mut page = Page::new(WIDTH, printer.data_has_color()).cut_after(lines_max);
    page.title(&title(prepared, explanation));
    order::section(&mut page, prepared.resolved(), explanation, lines_max);
    page.bullets("Integrated as one", &together(explanation));
    page.bullets("Not integrated as one", &apart(explanation));
    let loops: Vec<String> = distinct(&explanation.loops).iter().map(loop_line).collect();
    page.bullets("Loops", &loops);
    late::delays(&mut page, prepared.resolved(), &explanation.delays);
    late::held(&mut page, prepared.resolved(), &explanation.delays);
    late::outputs(&mut page, &explanation.lags);
    let delays: Vec<String> = explanation.equal_delays.iter().map(equal_delay).collect();
    page.bullets("Input delays of discrete components", &delays);
    let mut page = page.cut_after(lines_max.max(FEDERATION_MAX));
    federation::section(&mut page, prepared.resolved(), &explanation.federation);
    page.bullets("Warnings for a federation", &explanation.warnings);
    if let Some(projection) = projection {
        nodes::section(&mut page, prepared, projection);
    }
    program(&mut page, &prepared.plan_text(), printer.is_verbose());
    page.finish()
}

fn title(prepared: &Prepared, explanation: &Explanation) -> String {
    let count = |count: usize, name: &str| match count {
        0 => format!("no {name}"),
        _ => plural(count as u64, name),
    };
    let delays = late::delayed(&explanation.delays).count();
    let lag = explanation.lags.iter().map(|lag| lag.steps).max();
    let lag = lag.map(|steps| format!(", outputs up to {} late", plural(u64::from(steps), "step")));
    format!(
        "{}: order {}, {}, {}, {}, {}{}",
        &prepared.resolved().name,
        explanation.order,
        count(prepared.resolved().components.len(), "component"),
        plural(u64::from(explanation.federation.levels), "level"),
        count(distinct(&explanation.loops).len(), "loop"),
        count(delays, "delay"),
        lag.unwrap_or_default()
    )
}

fn together(explanation: &Explanation) -> Vec<String> {
    let line = |it: &TogetherExplanation| {
        let connections = plural(it.connections.len() as u64, "continuous connection");
        format!("{} by {}, over {connections}: {}", it.components.join(", "), it.solver, it.why)
    };
    explanation.together.iter().map(line).collect()
}

fn apart(explanation: &Explanation) -> Vec<String> {
    let line = |it: &ApartExplanation| {
        format!("{} -> {}, whose value holds over a step: {}", it.from, it.to, it.why)
    };
    explanation.apart.iter().map(line).collect()
}

/// Loops with where they are met: most loops of the cycle are loops of the initial values too.
fn distinct(loops: &[LoopExplanation]) -> Vec<(&LoopExplanation, Vec<LoopProgram>)> {
    let mut distinct: Vec<(&LoopExplanation, Vec<LoopProgram>)> = Vec::new();
    for found in loops {
        let same = |(known, _): &&mut (&LoopExplanation, _)| {
            known.chain == found.chain && known.evaluation == found.evaluation
        };
        match distinct.iter_mut().find(same) {
            Some((known, programs)) => {
                // What would break it is said of the loop in the cycle.
                *known = found;
                programs.push(found.program);
            }
            None => distinct.push((found, vec![found.program])),
        }
    }
    distinct
}

/// A loop: where, the way round, how it is solved, and what would break it.
fn loop_line((found, programs): &(&LoopExplanation, Vec<LoopProgram>)) -> String {
    let place = |program: &LoopProgram| match program {
        LoopProgram::Initialization => "in the initial values",
        LoopProgram::Present => "at every tag",
        LoopProgram::Advance => "in every step",
    };
    let places: Vec<&str> = programs.iter().map(place).collect();
    let means = match found.rollback.as_slice() {
        [] => "reading the outputs again".to_owned(),
        stepped => format!("saving, stepping, reading and restoring {}", stepped.join(", ")),
    };
    let mut line = format!(
        "{}: {}; solved for the value of {} by {means} until it no longer changes",
        places.join(" and "),
        found.chain,
        found.unknowns.join(", ")
    );
    for cure in &found.cures {
        line.push_str("; ");
        line.push_str(cure);
    }
    line
}

fn equal_delay(found: &EqualDelay) -> String {
    let path = |path: &Path| {
        let way = late::shortened(&path.variables);
        format!("{} over {way}", plural(u64::from(path.steps), "step"))
    };
    match &found.broken {
        Some(broken) => format!(
            "{}: inputs have different delays: {}, but {}",
            found.component,
            path(&broken.least),
            path(&broken.greatest)
        ),
        None => match found.steps.unwrap_or(0) {
            0 => format!("{}: inputs have no delay", found.component),
            steps => format!(
                "{}: all inputs have the same delay of {}",
                found.component,
                plural(u64::from(steps), "step")
            ),
        },
    }
}

/// What is run once, at every tag and between two, without what the page has said already.
fn program(page: &mut Page, text: &str, is_verbose: bool) {
    page.heading("Program, accepted by the judge");
    let lines: Vec<&str> = text.lines().skip_while(|line| *line != "initialization").collect();
    if is_verbose || lines.len() <= PROGRAM_MAX {
        lines.iter().for_each(|line| page.verbatim(line));
    } else {
        let count = plural(lines.len() as u64, "line");
        page.remark(&format!("{count}; `--format program` prints them"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consort_planner::BrokenDelay;

    fn check(steps: Option<u32>, paths: Option<[(u32, &[&str]); 2]>, expected: &str) {
        let path = |(steps, variables): (u32, &[&str])| Path {
            variables: variables.iter().map(|&name| name.to_owned()).collect(),
            steps,
        };
        let broken = paths
            .map(|[least, greatest]| BrokenDelay { least: path(least), greatest: path(greatest) });
        let found = EqualDelay { component: "logic".to_owned(), steps, broken };
        assert_eq!(equal_delay(&found), expected);
    }

    #[test]
    fn input_delays_show_the_paths_that_differ() {
        check(Some(0), None, "logic: inputs have no delay");
        check(Some(2), None, "logic: all inputs have the same delay of 2 steps");
        check(
            None,
            Some([(0, &["a.y", "logic.u"]), (1, &["a.y", "b.u", "b.y", "logic.v"])]),
            "logic: inputs have different delays: 0 steps over a.y > logic.u, but 1 step over \
             a.y > b.u > b.y > logic.v",
        );
    }
}
