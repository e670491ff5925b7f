//! Source FMUs as tools write them: what is listed, what is expected to be defined.

use crate::loader::{Place, answer};
use crate::source_fmu::{DOUBLER_2, description, write};
use std::fs;

/// What a case brings along beside `doubler.c`, and what comes of it.
struct Case {
    name: &'static str,
    /// The list of source files, in `CoSimulation`.
    listed: &'static str,
    /// What stands for the factor in the source.
    factor: &'static str,
    /// What `doubler.c` begins with.
    before: &'static str,
    /// Other files below `sources`.
    others: &'static [(&'static str, &'static str)],
    expected: f64,
}

const PLAIN: Case = Case {
    name: "",
    listed: r#"<SourceFiles><File name="doubler.c"/></SourceFiles>"#,
    factor: "2.0",
    before: "",
    others: &[],
    expected: 2.0,
};

const PART: (&str, &str) = ("part.h", "#define PART 3.0\nvoid not_compiled_alone(missing_t);\n");

const CASES: [Case; 13] = [
    Case {
        name: "headers among the listed files",
        listed: r#"<SourceFiles><File name="part.h"/><File name="doubler.c"/><File name="sub/x.hpp"/></SourceFiles>"#,
        factor: "PART",
        before: "typedef int missing_t;\n#include \"part.h\"\n",
        others: &[PART, ("sub/x.hpp", "namespace x {}\n")],
        expected: 3.0,
    },
    Case {
        name: "a listed header that is not there",
        listed: r#"<SourceFiles><File name="doubler.c"/><File name="absent.h"/></SourceFiles>"#,
        ..PLAIN
    },
    Case {
        name: "other files among the listed ones",
        listed: r#"<SourceFiles><File name="doubler.c"/><File name="CMakeLists.txt"/></SourceFiles>"#,
        others: &[("CMakeLists.txt", "project(doubler)\n")],
        ..PLAIN
    },
    Case { name: "the version of FMI", factor: "FMI_VERSION + 0.5", expected: 2.5, ..PLAIN },
    Case {
        name: "a version of FMI of its own",
        before: "#ifndef FMI_VERSION\n#error who am I\n#endif\n#undef FMI_VERSION\n#define FMI_VERSION 7\n",
        factor: "FMI_VERSION",
        expected: 7.0,
        ..PLAIN
    },
    Case {
        name: "the interface, as sources of the FMU SDK want it",
        before: "#ifndef FMI_COSIMULATION\n#error which interface\n#endif\n",
        ..PLAIN
    },
    Case {
        name: "no prefix, as sources of the FMU SDK want it",
        before: "#ifndef DISABLE_PREFIX\n#define fmi2DoStep my_own_fmi2DoStep\n#endif\n",
        ..PLAIN
    },
    Case {
        name: "a function of GNU's library",
        before: "#define _GNU_SOURCE\n#include <math.h>\n",
        factor: "round(M_PI)",
        expected: 3.0,
        ..PLAIN
    },
    Case {
        name: "a subfolder with a backslash",
        listed: r#"<SourceFiles><File name="./doubler.c"/><File name="sub\more.c"/></SourceFiles>"#,
        before: "double more(void);\n",
        factor: "more()",
        others: &[
            ("sub/more.c", "#include \"more.h\"\ndouble more(void) { return MORE; }\n"),
            ("sub/more.h", "#define MORE 5.0\n"),
        ],
        expected: 5.0,
    },
    Case {
        name: "C++ beside C",
        listed: r#"<SourceFiles><File name="doubler.c"/><File name="more.cpp"/></SourceFiles>"#,
        before: "double more(void);\n",
        factor: "more()",
        others: &[(
            "more.cpp",
            "#include <vector>\nextern \"C\" double more(void) { return std::vector<int>(4).size(); }\n",
        )],
        expected: 4.0,
    },
    Case {
        name: "a listed file that includes another",
        before: "#include \"more.c\"\n",
        factor: "more()",
        others: &[("more.c", "static double more(void) { return 6.0; }\n")],
        expected: 6.0,
        ..PLAIN
    },
    Case {
        name: "nothing listed, and one includes another",
        listed: "",
        before: "#include \"more.c\"\n",
        factor: "more()",
        others: &[("more.c", "double more(void) { return 6.0; }\n")],
        expected: 6.0,
    },
    Case {
        name: "nothing listed but in an empty list",
        listed: "<SourceFiles></SourceFiles>",
        ..PLAIN
    },
];

#[test]
fn sources_are_compiled_as_tools_list_them() {
    let place = Place::new();
    for (index, case) in CASES.iter().enumerate() {
        let model = format!("case{index}");
        let folder = place.base().join(&model);
        let source = format!("{}{}", case.before, DOUBLER_2.replace("FACTOR", case.factor));
        write(&folder, &description(case.listed), &source);
        for (path, text) in case.others {
            let path = folder.join("sources").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let loaded = place.load(&mut place.loader(), &model);
        let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(answer(&loaded, 1.0), case.expected, "{}", case.name);
    }
}

#[test]
fn what_is_listed_and_not_compiled_is_said() {
    let place = Place::new();
    let listed = r#"<SourceFiles><File name="doubler.c"/><File name="notes.txt"/></SourceFiles>"#;
    let source = DOUBLER_2.replace("FACTOR", "2.0");
    write(&place.base().join("notes"), &description(listed), &source);
    let loaded = place.load(&mut place.loader(), "notes").unwrap();
    assert_eq!(loaded.assumed[0], "listed as sources, but neither C nor C++: notes.txt");
    let headers = r#"<SourceFiles><File name="doubler.h"/></SourceFiles>"#;
    write(&place.base().join("headers"), &description(headers), &source);
    let error = place.load(&mut place.loader(), "headers").err().unwrap();
    assert!(error.starts_with("error[model::no-sources]"), "{error}");
}

#[test]
fn the_only_configuration_is_taken_by_whatever_name() {
    let place = Place::new();
    let folder = place.base().join("renamed");
    write(&folder, &description(""), &DOUBLER_2.replace("FACTOR", "8.0"));
    let configuration = r#"<BuildConfiguration modelIdentifier="OLD"><SourceFileSet><SourceFile name="doubler.c"/></SourceFileSet></BuildConfiguration>"#;
    let describe = |inside: &str| {
        let text =
            format!(r#"<fmiBuildDescription fmiVersion="3.0">{inside}</fmiBuildDescription>"#);
        fs::write(folder.join("sources/buildDescription.xml"), text).unwrap();
    };
    describe(configuration);
    let loaded = place.load(&mut place.loader(), "renamed").unwrap();
    assert_eq!(answer(&loaded, 1.0), 8.0);
    assert_eq!(loaded.assumed[0], "took the only `BuildConfiguration`, which is that of `OLD`");
    describe(&[configuration, &configuration.replace("OLD", "OLDER")].concat());
    let error = place.load(&mut place.loader(), "renamed").err().unwrap();
    assert!(error.starts_with("error[model::no-build-configuration]"), "{error}");
}
