//! Conditions between the values that are chosen at one time.
//!
//! They are written as properties are, and judged at a single instant.

use super::CampaignInput;
use consort_core::diagnostic::nearest_name;
use consort_core::{Diagnostic, Report, Resolution, Seconds, Span, Tag, Time};
use consort_property::{Property, Reading};
use consort_system::Campaign;

/// Whether one choice per disturbance is allowed.
pub(super) fn allowed(
    campaign: &Campaign,
    constraints: &[(Property, Option<Span>)],
    inputs: &[CampaignInput],
    report: &mut Report,
) -> impl Fn(&[u32]) -> bool + use<> {
    for (property, span) in constraints {
        check(campaign, property, *span, report);
    }
    let place = |signal: &String| inputs.iter().position(|input| input.path == *signal);
    let places = |(property, _): &(Property, Option<Span>)| {
        let places: Option<Vec<usize>> = property.signals().iter().map(place).collect();
        places.map(|places| (property.clone(), places))
    };
    let number = |values: &consort_core::Values| values.view().as_f64(0).unwrap_or(f64::NAN);
    let numbers = |input: &CampaignInput| input.values.iter().map(number).collect();
    let numbers: Vec<Vec<f64>> = inputs.iter().map(numbers).collect();
    let constraints: Vec<(Property, Vec<usize>)> = constraints.iter().filter_map(places).collect();
    move |choice: &[u32]| {
        let value = |place: &usize| numbers[*place][choice[*place] as usize];
        constraints.iter().all(|(property, places)| {
            let values: Vec<f64> = places.iter().map(value).collect();
            holds(property, &values)
        })
    }
}

/// Whether a condition holds at an instant.
fn holds(property: &Property, values: &[f64]) -> bool {
    let second = Resolution::new(Seconds::new(1, 1).expect("1 is not 0")).expect("it is positive");
    let mut monitor = property.monitor(Reading::Sampled, second, Time::ZERO);
    monitor.see(Tag::at(Time::ZERO), values);
    monitor.finish(Time::ZERO);
    monitor.verdict() != Some(false)
}

/// A constraint is about disturbed inputs, and about one instant.
fn check(campaign: &Campaign, property: &Property, span: Option<Span>, report: &mut Report) {
    let names: Vec<&str> = campaign.disturbances.iter().map(|it| it.input.value.as_str()).collect();
    for signal in property.signals().iter().filter(|name| !names.contains(&name.as_str())) {
        let message = format!("`{signal}` is not disturbed");
        let help = match nearest_name(signal, names.iter().copied()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "constraints are about the inputs of `[[disturbances]]`".to_owned(),
        };
        let diagnostic = Diagnostic::error("campaign::constraint", message);
        report.push(diagnostic.maybe_at(span, "this constraint names it").help(help));
    }
    if property.horizon() != Some(Seconds::ZERO) {
        let message = "a constraint cannot use temporal operators";
        let diagnostic = Diagnostic::error("campaign::constraint", message);
        let diagnostic = diagnostic.maybe_at(span, "this looks at other times");
        report.push(diagnostic.help("use `changes-max`, or say it as a property"));
    }
}
