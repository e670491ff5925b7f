//! `buildDescription.xml`, good and bad.

use crate::render::Cases;
use consort_core::Report;
use consort_fmi::build::{self, BuildDescription};

const GOOD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="tank">
    <SourceFileSet language="C99" compiler="gcc" compilerOptions="-O2">
      <SourceFile name="tank.c"/>
      <SourceFile name="fmi/glue.c"/>
      <PreprocessorDefinition name="FMI_VERSION" value="3"/>
      <PreprocessorDefinition name="DEBUG" optional="true"/>
      <IncludeDirectory name="include"/>
    </SourceFileSet>
    <SourceFileSet><SourceFile name="other.c"/></SourceFileSet>
    <Library name="m"/>
    <Library name="hdf5" version="&gt;=1.8" external="1"/>
  </BuildConfiguration>
  <BuildConfiguration modelIdentifier="tank" platform="x86_64-windows"/>
</fmiBuildDescription>"#;

#[test]
fn a_build_description_is_read() {
    let mut report = Report::default();
    let build = build::read("buildDescription.xml", GOOD.as_bytes(), &mut report).unwrap();
    assert!(report.diagnostics().is_empty(), "{report:?}");
    let tank = build.configuration("tank", "x86_64-linux").unwrap();
    assert_eq!(tank.platform, None);
    let [first, second] = tank.source_file_sets.as_slice() else { panic!("two sets") };
    assert_eq!(first.files, ["tank.c", "fmi/glue.c"]);
    assert_eq!(first.compiler_options.as_deref(), Some("-O2"));
    assert_eq!(first.definitions[0].value.as_deref(), Some("3"));
    assert!(first.definitions[1].optional);
    assert_eq!(first.include_directories, ["include"]);
    assert_eq!(second.files, ["other.c"]);
    assert!(tank.libraries[1].external && !tank.libraries[0].external);
}

#[test]
fn a_configuration_for_the_platform_is_preferred() {
    let mut report = Report::default();
    let build = build::read("buildDescription.xml", GOOD.as_bytes(), &mut report).unwrap();
    let windows = build.configuration("tank", "x86_64-windows").unwrap();
    assert_eq!(windows.platform.as_deref(), Some("x86_64-windows"));
    assert!(build.configuration("pump", "x86_64-linux").is_none());
}

#[test]
fn source_files_of_fmi_2_become_one_set() {
    let mut report = Report::default();
    let files = ["all.c".to_owned(), "sub/more.c".to_owned()];
    let build = BuildDescription::from_source_files("tank", &files, None, &mut report).unwrap();
    let tank = build.configuration("tank", "linux64").unwrap();
    assert_eq!(tank.source_file_sets[0].files, files);
}

#[test]
fn bad_build_descriptions_are_refused() {
    let mut cases = Cases::default();
    let wrap = |content: &str| {
        format!(
            "<fmiBuildDescription fmiVersion=\"3.0\"><BuildConfiguration modelIdentifier=\"t\">\
             <SourceFileSet>{content}</SourceFileSet></BuildConfiguration></fmiBuildDescription>"
        )
    };
    for (name, text) in [
        ("not XML", "int main(void) {}".to_owned()),
        ("another root", "<project/>".to_owned()),
        ("nothing to build", "<fmiBuildDescription fmiVersion=\"3.0\"/>".to_owned()),
        (
            "no identifier",
            "<fmiBuildDescription><BuildConfiguration/></fmiBuildDescription>".to_owned(),
        ),
        ("a source elsewhere", wrap("<SourceFile name=\"../../../home/me/secret.c\"/>")),
        ("headers elsewhere", wrap("<IncludeDirectory name=\"/usr/include\"/>")),
        ("an option as a source", wrap("<SourceFile name=\"-fplugin=evil.so\"/>")),
        ("an option as a macro", wrap("<PreprocessorDefinition name=\"A -fplugin=evil.so\"/>")),
        ("no names", wrap("<SourceFile/><PreprocessorDefinition value=\"1\"/>")),
        ("a bad flag", wrap("<PreprocessorDefinition name=\"A\" optional=\"maybe\"/>")),
        ("a bomb", format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{}", wrap(""))),
    ] {
        let mut report = Report::default();
        assert_eq!(build::read("buildDescription.xml", text.as_bytes(), &mut report), None);
        cases.add(name, &report);
    }
    for (name, files) in
        [("no source files", vec![]), ("source files elsewhere", vec!["../a.c".to_owned()])]
    {
        let mut report = Report::default();
        let built = BuildDescription::from_source_files("t", &files, None, &mut report);
        assert_eq!(built, None);
        cases.add(name, &report);
    }
    insta::assert_snapshot!("bad_builds", cases.finish());
}
