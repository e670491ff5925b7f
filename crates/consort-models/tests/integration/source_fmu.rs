//! A tiny FMU in C, written to a folder: y = 2 u, with or without mistakes.

use std::fs;
use std::path::Path;

/// FMI 2, needs the standard's headers, which it does not bring along.
pub(crate) const DOUBLER_2: &str = r#"
#include "fmi2Functions.h"
#include <math.h>
#include <stdlib.h>
static double values[2];
const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String s[]) { return fmi2OK; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String uri,
                              const fmi2CallbackFunctions *f, fmi2Boolean visible, fmi2Boolean log) {
    return calloc(2, sizeof(double));
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean b, fmi2Real t, fmi2Real s, fmi2Boolean d, fmi2Real e) { return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) {
    for (size_t i = 0; i < n; i++) v[i] = ((double *)c)[r[i]];
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[]) {
    for (size_t i = 0; i < n; i++) ((double *)c)[r[i]] = v[i];
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean b) {
    ((double *)c)[1] = FACTOR * ((double *)c)[0] + floor(0.5);
    return fmi2OK;
}
"#;

pub(crate) const SOURCE_FILES: &str = r#"<SourceFiles><File name="doubler.c"/></SourceFiles>"#;

/// An FMI 2 description; `inside` goes into `CoSimulation`.
pub(crate) fn description(inside: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Doubler" guid="{{1}}">
  <CoSimulation modelIdentifier="doubler">{inside}</CoSimulation>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>
"#
    )
}

/// Writes an FMU folder with one source file.
pub(crate) fn write(folder: &Path, description: &str, source: &str) {
    fs::create_dir_all(folder.join("sources")).unwrap();
    fs::write(folder.join("modelDescription.xml"), description).unwrap();
    fs::write(folder.join("sources/doubler.c"), source).unwrap();
}

/// Writes a source FMU that works.
pub(crate) fn write_doubler(folder: &Path) {
    let source = DOUBLER_2.replace("FACTOR", "2.0");
    write(folder, &description(SOURCE_FILES), &source);
}
