//! Short descriptions, completed to whole files.

use consort_core::{Report, Severity};
use consort_formats::ssp;
use consort_system::SystemDescription;
use consort_testkit::render;

/// A whole `.ssd` file around the inside of its root system and what follows that.
pub(crate) fn ssd(system: &str, rest: &str) -> String {
    format!(
        r#"<ssd:SystemStructureDescription version="1.0" name="demo"
  xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
  xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
  xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
  xmlns:consort="urn:consort:ssp:1">
<ssd:System name="root">
{system}
</ssd:System>
{rest}
</ssd:SystemStructureDescription>"#
    )
}

/// A whole `.ssv` file around its parameters.
pub(crate) fn ssv(parameters: &str) -> String {
    format!(
        r#"<ssv:ParameterSet version="1.0" name="set"
  xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
{parameters}
</ssv:ParameterSet>"#
    )
}

/// A whole `.ssm` file around its entries.
pub(crate) fn ssm(entries: &str) -> String {
    format!(
        r#"<ssm:ParameterMapping version="1.0"
  xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
{entries}
</ssm:ParameterMapping>"#
    )
}

/// A whole `.ssb` file around its entries.
pub(crate) fn ssb(entries: &str) -> String {
    format!(
        r#"<ssb:SignalDictionary version="1.0"
  xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
{entries}
</ssb:SignalDictionary>"#
    )
}

/// Reads `SystemStructure.ssd` of some files.
pub(crate) fn read(files: &[(&str, &[u8])], report: &mut Report) -> Option<SystemDescription> {
    let find = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, bytes)| bytes.to_vec())
    };
    ssp::read("demo.ssp", &find, ssp::DEFAULT_STRUCTURE, report)
}

/// The system of some files, about which there is nothing to complain.
pub(crate) fn read_clean(files: &[(&str, &str)]) -> SystemDescription {
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let mut report = Report::default();
    let system = read(&files, &mut report);
    let complaints = report.diagnostics().iter().filter(|it| it.severity != Severity::Note);
    assert_eq!(complaints.count(), 0, "{}", render::report(&report));
    system.expect("nothing is wrong")
}
