//! The system as a federation: the requests of each federate.

use consort_planner::{Federate, Federation, OutputGroup};
use consort_system::ResolvedSystem;
use consort_view::numbers::plural;
use consort_view::page::Page;
use consort_view::table::{self, Table};

/// Longer lists of outputs are counted, not named: the order has named them.
const NAMES_MAX: usize = 20;

pub(super) fn section(page: &mut Page, system: &ResolvedSystem, federation: &Federation) {
    page.heading("As a federation");
    let same = system.components.windows(2).all(|pair| pair[0].period == pair[1].period);
    let own = if same { "dt =" } else { "dt is each federate's own step, at least" };
    let has_events = federation.federates.iter().any(|federate| 0 < federate.next_event_requests);
    page.remark(&format!(
        "{own} {} s; {}, so the lookahead lk is {} s at most",
        federation.step,
        plural(u64::from(federation.levels), "level"),
        federation.lookahead_max
    ));
    page.remark(match has_events {
        true => "NER: next event request, with the time it is granted; TAR: time advance request",
        false => "TAR: time advance request",
    });
    let mut table = Table::new(&["Federate", "Strategy", "Requests in cycle n", "Publishes"]);
    for federate in &federation.federates {
        let mut published = federate.groups.iter().map(publishes);
        table.row(vec![
            federate.component.clone(),
            federate.strategy.clone(),
            requests(federate),
            published.next().unwrap_or_default(),
        ]);
        for more in published {
            table.row(vec![String::new(), String::new(), String::new(), more]);
        }
    }
    page.table(&table);
}

/// The sequence of requests of one cycle.
fn requests(federate: &Federate) -> String {
    let last = format!("TAR {}", federate.final_request);
    let mut grants = federate.grants.iter();
    let Some(first) = grants.next() else { return last };
    let more = grants.map(|grant| format!(", {}", grant.trim_start_matches("n*dt + ")));
    format!("NER {first}{}; {last}", more.collect::<String>())
}

fn publishes(group: &OutputGroup) -> String {
    let names = group.outputs.join(", ");
    let what = match group.outputs.len() {
        count if NAMES_MAX < table::width(&names) && 1 < count => format!("{count} outputs"),
        _ => names,
    };
    format!("{what} at {}", group.published_at)
}
