//! Hand-made models and systems, shown.

mod models;
mod systems;

use super::*;
use models::{arrays, bare, tank};

fn extra(path: &str) -> InspectExtra {
    InspectExtra {
        path: path.to_owned(),
        size: Some(12_345),
        assumed: Vec::new(),
        width: 100,
        color: false,
        all: false,
    }
}

#[test]
fn a_model_of_scalars_is_shown() {
    insta::assert_snapshot!(describe(&tank(), &extra("tank.fmu")));
}

#[test]
fn arrays_enumerations_clocks_and_other_names_are_shown() {
    let assumed = vec!["the unit `bar` is only a name".to_owned()];
    let extra = InspectExtra { assumed, all: true, ..extra("arrays.fmu") };
    insta::assert_snapshot!(describe(&arrays(), &extra));
}

#[test]
fn missing_dependencies_are_said_to_be_missing() {
    let extra = InspectExtra { size: None, ..extra("native:bare") };
    insta::assert_snapshot!(describe(&bare(), &extra));
}

#[test]
fn nothing_is_wider_than_the_page() {
    for width in [60, 72, 80, 100, 132] {
        let extra = InspectExtra { width, all: true, ..extra("model.fmu") };
        for model in [tank(), arrays(), bare()] {
            let text = describe(&model, &extra);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{widest:?} of {width}:\n{text}");
        }
    }
}

#[test]
fn color_adds_marks_and_changes_no_word() {
    let colored = describe(&tank(), &InspectExtra { color: true, ..extra("tank.fmu") });
    assert!(colored.contains("\u{1b}[1m"));
    let stripped =
        colored.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
    assert_eq!(stripped, describe(&tank(), &extra("tank.fmu")));
}

#[test]
fn a_model_cannot_steer_the_terminal() {
    let mut model = tank();
    model.name = "a\u{1b}[31m\nb".to_owned();
    model.variables[0].description = "line\r\nbreak\u{7}".to_owned();
    let text = describe(&model, &extra("evil\u{1b}.fmu"));
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
}

#[test]
fn json_holds_everything_by_name() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&to_json(&arrays())).unwrap());
}

#[test]
fn sizes_are_read_at_a_glance() {
    assert_eq!(byte_size(999), "999 bytes");
    assert_eq!(byte_size(12_345), "12.3 kB");
    assert_eq!(byte_size(7_000_000_000), "7.0 GB");
}
