//! Figures drawn: the usual ones, and those that break plotting programs.

use super::png::PngError;
use super::*;
use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::roxmltree::Document;

fn column(name: &str, unit: &str, samples: &[(f64, f64)]) -> PlotColumn {
    PlotColumn {
        name: name.to_owned(),
        unit: Some(unit.to_owned()),
        is_discrete: false,
        times: samples.iter().map(|sample| sample.0).collect(),
        values: samples.iter().map(|sample| sample.1).collect(),
    }
}

fn ramp(count: u32) -> Vec<(f64, f64)> {
    (0..count).map(|i| (f64::from(i) / 10.0, f64::from(i % 7))).collect()
}

fn tank() -> Figure {
    let level = [(0.0, 1.0), (1.0, 1.5), (2.0, 1.25), (3.0, f64::NAN), (4.0, 1.0)];
    let valve = [(0.0, 0.0), (1.0, 1.0), (2.5, 1.0), (4.0, 0.5)];
    let mut figure = Figure::from_columns(
        "tank",
        vec![
            column("tank.level", "m", &level),
            PlotColumn { is_discrete: true, ..column("control.valve", "1", &valve) },
            column("tank.setpoint", "m", &[(0.0, 1.25), (4.0, 1.25)]),
        ],
    );
    figure.subtitle = Some("trace 1234".to_owned());
    figure
}

#[test]
fn curves_of_one_unit_share_a_panel() {
    let figure = tank();
    let names = |panel: &Panel| panel.series.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(figure.panels.len(), 2);
    assert_eq!(figure.panels[0].y_label, "[m]");
    assert_eq!(names(&figure.panels[0]), ["tank.level", "tank.setpoint"]);
    assert_eq!(figure.panels[1].y_label, "[-]");
    assert_eq!(figure.panels[1].series[0].style, Style::Steps);
}

#[test]
fn many_curves_are_split_evenly() {
    let columns = (0..17).map(|i| column(&i.to_string(), "m3/s", &ramp(3))).collect();
    let figure = Figure::from_columns("many", columns);
    let counts: Vec<usize> = figure.panels.iter().map(|panel| panel.series.len()).collect();
    assert_eq!(counts, [6, 6, 5]);
    assert!(figure.panels.iter().all(|panel| panel.y_label == "[m³/s]"));
}

#[test]
fn plain_numbers_of_different_magnitude_do_not_share_an_axis() {
    let plain = |name: &str, value: f64| PlotColumn {
        unit: None,
        ..column(name, "", &[(0.0, -value), (1.0, value)])
    };
    let columns = vec![plain("a", 1.0), plain("b", 60.0), plain("c", 4.0), plain("d", 0.0)];
    let figure = Figure::from_columns("plain", columns.clone());
    assert_eq!(names_of(&figure), [vec!["a", "c", "d"], vec!["b"]]);
    let measured = columns.into_iter().map(|it| PlotColumn { unit: Some("m".to_owned()), ..it });
    assert_eq!(Figure::from_columns("measured", measured.collect()).panels.len(), 1);
}

fn names_of(figure: &Figure) -> Vec<Vec<&str>> {
    let names = |panel: &'_ Panel| panel.series.len();
    assert!(figure.panels.iter().map(names).all(|count| count <= SERIES_PER_PANEL_MAX));
    let names = figure.panels.iter().map(|panel| panel.series.iter().map(|it| it.name.as_str()));
    names.map(Iterator::collect).collect()
}

fn runs(count: usize, columns: &[PlotColumn]) -> Vec<PlotRun> {
    let run = |index: usize| PlotRun { label: format!("r{index}"), columns: columns.to_vec() };
    (0..count).map(run).collect()
}

#[test]
fn curves_of_a_variable_in_several_runs_are_next_to_each_other() {
    let columns = [column("x", "m", &ramp(3)), column("v", "m/s", &ramp(3))];
    let figure = Figure::from_runs("two", runs(2, &columns));
    assert_eq!(names_of(&figure), [["x (r0)", "x (r1)"], ["v (r0)", "v (r1)"]]);
    let columns: Vec<PlotColumn> = ["a", "b", "c"].map(|name| column(name, "m", &ramp(3))).to_vec();
    let counts = |figure: &Figure| names_of(figure).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(counts(&Figure::from_runs("three", runs(3, &columns))), [6, 3]);
    assert_eq!(counts(&Figure::from_runs("many", runs(12, &columns[..1]))), [6, 6]);
}

/// Every curve has its own paint, which is that of the legend; names stand there in the order of curves.
#[test]
fn the_legend_is_that_of_the_curves() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let columns = names.map(|name| column(name, "m", &ramp(9))).to_vec();
    let drawn = svg(&Figure::from_columns("all", columns), Size { width: 300, height: 300 });
    let document = Document::parse(&drawn).unwrap();
    let looks = |in_legend: bool| -> Vec<(String, String)> {
        let lines = document.descendants().filter(|node| node.attribute("stroke-width").is_some());
        let lines = lines.filter(|node| is_legend(node.parent_element().unwrap()) == in_legend);
        let look = |name| {
            move |node: &resvg::usvg::roxmltree::Node<'_, '_>| {
                node.attribute(name).unwrap_or("").to_owned()
            }
        };
        lines.map(|node| (look("stroke")(&node), look("stroke-dasharray")(&node))).collect()
    };
    assert_eq!(looks(true).len(), 8);
    assert_eq!(looks(true), looks(false));
    let different: std::collections::BTreeSet<_> = looks(true).into_iter().collect();
    assert_eq!(different.len(), 8);
    let labels = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "title")));
    let labels: Vec<&str> = labels.skip(1).filter_map(|node| node.text()).collect();
    assert_eq!(labels, names);
}

#[test]
fn a_curve_without_points_or_lines_looks_so_in_the_legend() {
    let columns = vec![
        column("nothing", "m", &[(0.0, f64::NAN)]),
        column("point", "m", &[(0.0, 1.0)]),
        column("line", "m", &[(0.0, 1.0), (1.0, 2.0)]),
    ];
    let figure = Figure::from_columns("marks", columns);
    let drawn = svg(&figure, Size { width: 480, height: 300 });
    assert_eq!(drawn.matches("<circle").count(), 2, "the point and its entry");
    assert_eq!(drawn.matches("stroke-width").count(), 2, "the line and its entry");
    assert!(drawn.contains(">nothing (no data)<") && drawn.contains(">point<"));
    assert!(sketch(&figure, 40, 4).starts_with("nothing (no data), point, line [m]"));
}

#[test]
fn a_variable_may_be_drawn_over_another() {
    let mut circle: Vec<(f64, f64)> = Vec::new();
    for turn in 0..3000_u32 {
        let angle = f64::from(turn) / 50.0;
        circle.push((to_and_fro(angle), f64::from(turn % 7)));
    }
    let figure =
        Figure::from_columns("loop", vec![column("y", "m", &circle)]).over("x", Some("m3"));
    assert_eq!(figure.x_label.as_deref(), Some("x [m³]"));
    let drawn = svg(&figure, Size { width: 480, height: 300 });
    assert!(drawn.contains(">x [m³]<") && !drawn.contains("time [s]"));
    let page = html(std::slice::from_ref(&figure), "loop", &[]);
    assert!(page.contains("\"x\":\"x [m³]\"") && page.contains("\"path\":true"));
    assert!(sketch(&figure, 40, 4).ends_with("  x [m³]\n"));
}

/// Goes back and forth between -1 and 1.
fn to_and_fro(angle: f64) -> f64 {
    let part = (angle / 4.0).fract() * 4.0;
    if part < 2.0 { 1.0 - part } else { part - 3.0 }
}

#[test]
fn a_figure_is_drawn_to_the_byte() {
    insta::assert_snapshot!(svg(&tank(), Size { width: 480, height: 360 }));
}

#[test]
fn a_figure_is_sketched() {
    insta::assert_snapshot!(sketch(&tank(), 48, 4));
}

#[test]
fn steps_have_corners_and_gaps_break_lines() {
    let drawn = svg(&tank(), Size { width: 480, height: 360 });
    let document = Document::parse(&drawn).unwrap();
    let curves: Vec<&str> = document
        .descendants()
        .filter(|node| node.attribute("stroke-width").is_some())
        .filter(|node| node.parent_element().is_some_and(|parent| !is_legend(parent)))
        .filter_map(|node| node.attribute("d"))
        .collect();
    assert_eq!(curves.len(), 3, "{curves:?}");
    assert_eq!(curves[0].matches('M').count(), 1);
    assert!(!curves[2].contains('L'), "{}", curves[2]);
    assert!(curves[2].contains('H') && curves[2].contains('V'));
    assert_eq!(drawn.matches("<circle").count(), 1, "the last level stands alone");
}

fn is_legend(group: resvg::usvg::roxmltree::Node<'_, '_>) -> bool {
    group.children().any(|child| child.has_tag_name(("http://www.w3.org/2000/svg", "title")))
}

#[test]
fn long_series_make_small_files_that_keep_their_extremes() {
    let mut samples = ramp(400_000);
    samples[123_456].1 = 1000.0;
    let figure = Figure::from_columns("long", vec![column("x", "m", &samples)]);
    let drawn = svg(&figure, Size { width: 960, height: 400 });
    assert!(drawn.len() < 80_000, "{} bytes", drawn.len());
    let page = html(&[figure], "long", &[]);
    assert!(page.len() < 700_000, "{} bytes", page.len());
    assert!(page.contains("1000.0"), "the spike is in the page");
    assert!(page.contains("thinned out"));
}

#[test]
fn pixels_show_text_without_any_installed_font() {
    let size = Size { width: 300, height: 200 };
    let dark_pixels = |title: &str| {
        let figure = Figure { title: title.to_owned(), ..Figure::default() };
        let picture = Pixmap::decode_png(&png(&figure, size, 1.0).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (300, 200));
        picture.pixels().iter().filter(|pixel| pixel.red() < 128).count()
    };
    assert!(dark_pixels("") + 100 < dark_pixels("WWWWWWWW"));
}

#[test]
fn a_picture_may_be_scaled_but_not_without_limit() {
    let size = Size { width: 300, height: 200 };
    let picture = Pixmap::decode_png(&png(&tank(), size, 2.0).unwrap()).unwrap();
    assert_eq!(picture.width(), 600);
    for scale in [1e9, 0.0, -1.0, f32::NAN] {
        let error = png(&tank(), size, scale).unwrap_err();
        assert!(matches!(error, PngError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let mut figure = tank();
    figure.panels[0].series[0].name = "</script><b>&\"x".to_owned();
    let facts = [("trace <hash>".to_owned(), "12&34".to_owned())];
    let page = html(&[figure], "a <title>", &facts);
    assert_eq!(page.matches("</script>").count(), 2, "a name must not end the data");
    assert!(page.contains("<h1>a &lt;title&gt;</h1>"));
    assert!(page.contains("trace &lt;hash&gt;</th><td>12&amp;34"));
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http:") && !outside.contains("https:") && !outside.contains("src="));
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(&page[start..end]).unwrap();
    assert_eq!(data["panels"][0]["series"][0]["name"], "</script><b>&\"x");
    assert_eq!(data["panels"][0]["series"][0]["v"][3], serde_json::Value::Null);
    assert_eq!(data["panels"][1]["series"][0]["steps"], true);
}

/// Doubles that break plotting programs, and ordinary ones.
fn nasty() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -1e3..1e3,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
        Just(f64::MIN),
        Just(5e-324),
        Just(-0.0),
        Just(101_325.0),
    ]
}

proptest! {
    #[test]
    fn whatever_was_recorded_can_be_drawn(
        samples in prop::collection::vec((nasty(), nasty()), 0..40),
        name in any::<String>(),
        unit in any::<String>(),
        is_discrete in any::<bool>(),
        (width, height) in (0u32..2000, 0u32..2000),
    ) {
        let one = PlotColumn { is_discrete, ..column(&name, &unit, &samples) };
        let figure = Figure::from_columns(name.clone(), vec![one]);
        let drawn = svg(&figure, Size { width, height });
        let document = Document::parse(&drawn).expect("the drawing is XML");
        for node in document.descendants() {
            for attribute in node.attributes().filter(|each| each.name() != "font-family") {
                let value = attribute.value();
                prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
            }
        }
        let page = html(std::slice::from_ref(&figure), &name, &[]);
        prop_assert!(page.ends_with("</html>\n"));
        prop_assert!(!sketch(&figure, 40, 4).contains("NaN"));
    }
}
