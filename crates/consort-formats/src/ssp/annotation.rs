//! Annotations for what SSP itself cannot express: our own, and those of OMSimulator and of the Open
//! Simulation Platform.
//!
//! Ours, in the namespace [`NAMESPACE`]; every attribute and child may be absent:
//!
//! ```xml
//! <ssc:Annotation type="org.consort.experiment">      <!-- at the SystemStructureDescription -->
//!   <consort:Experiment start="0" stop="1/3" step="1/30" resolution="1/300" seed="7"
//!       tolerance="1e-6" solver="bdf" solverStep="0.001" isolate="true" record="outputs"
//!       input="inflow.csv"
//!       order="derived" loops="iterate" connectorUnits="model">
//!     <consort:Record pattern="tank.*"/>              <!-- with record="these" -->
//!     <consort:Unhashed pattern="plant.CPUtime"/>
//!     <consort:Plot pattern="tank.level"/>
//!     <consort:Iteration method="auto" tolerance="1e-9" limit="100" relaxation="1"/>
//!     <consort:Loop through="tank.level" iterate="true" method="newton"/>
//!     <consort:VariableStep initial="0.1" min="1e-4" max="1" relative="1e-4" absolute="1e-6"
//!         errorControl="true"/>
//!     <consort:Intervention at="10" target="pid.kp" set="2.0" unit="1"/>
//!     <consort:Node name="plant"><consort:Component pattern="tank"/></consort:Node>
//!   </consort:Experiment>
//! </ssc:Annotation>
//! <ssc:Annotation type="org.consort.component">       <!-- at a Component -->
//!   <consort:Component step="0.5" stepLength="to-end" concurrent="true" sendStartValues="true"
//!       eventMode="false" solver="rk4" tolerance="1e-8" solverStep="0.001" isolate="true"
//!       state="image">
//!     <consort:Reactive variable="valve"/>
//!     <consort:Parameter name="mixed" value="[1, true]" unit="cm"/>
//!   </consort:Component>
//! </ssc:Annotation>
//! <ssc:Annotation type="org.consort.connection">      <!-- at a Connection -->
//!   <consort:Connection delay="true" hold="extrapolate" group="bus1" convert="true"/>
//! </ssc:Annotation>
//! ```
//!
//! Values are written as in `system.toml`.

mod foreign;
mod ours;

use super::document::{Settings, Wire};
use super::xml::{Session, Tag};
use consort_core::Diagnostic;
use consort_system::{Component, Hold, Spanned};

/// The namespace of our annotations.
pub(super) const NAMESPACE: &str = "urn:consort:ssp:1";
pub(super) const EXPERIMENT: &str = "org.consort.experiment";
pub(super) const COMPONENT: &str = "org.consort.component";
pub(super) const CONNECTION: &str = "org.consort.connection";

/// The default experiment and every annotation about it; ours go before others'.
pub(super) fn settings(session: &mut Session<'_>, root: Tag<'_>) -> Settings {
    let mut settings = Settings::default();
    if let Some(tag) = root.child("DefaultExperiment") {
        session.known(tag, &["startTime", "stopTime"], &["Annotations"]);
        if let Some(start) = session.seconds(tag, "startTime") {
            settings.experiment.start = start;
        }
        settings.experiment.stop = session.seconds(tag, "stopTime");
    }
    foreign::experiment(session, root, &mut settings.experiment);
    for annotation in of_type(root, EXPERIMENT) {
        for tag in annotation.all("Experiment") {
            ours::experiment(session, tag, &mut settings);
        }
    }
    settings
}

/// The annotations of a component.
pub(super) fn component(session: &mut Session<'_>, tag: Tag<'_>, component: &mut Component) {
    foreign::component(session, tag, component);
    for annotation in of_type(tag, COMPONENT) {
        for tag in annotation.all("Component") {
            ours::component(session, tag, component);
        }
    }
}

/// The annotations of a connection.
pub(super) fn wire(session: &mut Session<'_>, tag: Tag<'_>, wire: &mut Wire) {
    for annotation in of_type(tag, CONNECTION) {
        for tag in annotation.all("Connection") {
            session.known(tag, &["delay", "hold", "group", "convert"], &[]);
            wire.delay = session.flag(tag, "delay").unwrap_or(false);
            wire.convert = session.flag(tag, "convert").unwrap_or(false);
            let hold = session.choice(tag, "hold", &Hold::ALL);
            wire.hold = hold.map_or(Hold::Hold, |hold| hold.value);
            wire.group = tag.text("group").map(str::to_owned);
        }
    }
}

/// The annotations of one type at an element.
fn of_type<'d>(tag: Tag<'d>, kind: &'static str) -> impl Iterator<Item = Tag<'d>> {
    let annotations = tag.all("Annotations").flat_map(|list| list.all("Annotation"));
    annotations.filter(move |annotation| annotation.text("type").map(str::trim) == Some(kind))
}

/// A number that must be above zero.
fn positive(session: &mut Session<'_>, tag: Tag<'_>, name: &str) -> Option<Spanned<f64>> {
    let found: Spanned<f64> = session.number(tag, name, "a number")?;
    if 0.0 < found.value && found.value.is_finite() {
        return Some(found);
    }
    session.report(
        Diagnostic::error("ssp::bad-value", format!("`{name}` is not greater than zero"))
            .maybe_at(found.span, "must be a positive number")
            .help("such as `1e-6`"),
    );
    None
}
