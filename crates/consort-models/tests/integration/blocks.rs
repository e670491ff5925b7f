//! Every block against its closed form.

use crate::harness::{Bench, blocks, literal, load};
use crate::samples::samples;
use consort_core::{Report, Time, ValueType, Values, ValuesMut, ValuesRef};

fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    let distance = (actual - expected).abs();
    assert!(distance <= tolerance, "{actual:?} is {distance:e} from {expected:?}");
}

fn assert_same(actual: f64, expected: f64) {
    assert_eq!(actual.to_bits(), expected.to_bits(), "{actual:?} is not {expected:?}");
}

/// Steps a source and compares its output at every tag, to the bit.
fn check_source(block: &str, parameters: &str, step: &str, expected: impl Fn(f64) -> f64) {
    let mut bench = Bench::started(block, parameters, step);
    for _ in 0..200 {
        let time = bench.seconds();
        assert_same(bench.get("y"), expected(time));
        bench.step();
    }
}

#[test]
fn a_constant_is_what_was_written_in_any_type_and_shape() {
    let cases = [
        ("value = 2.5", Values::Float64(vec![2.5])),
        ("value = [[1.0, 2.0], [3.0, 4.0]]", Values::Float64(vec![1.0, 2.0, 3.0, 4.0])),
        ("value = true", Values::Boolean(vec![true])),
        ("value = \"open\"", Values::String(vec!["open".to_owned()])),
        ("value = 18446744073709551615\ntype = \"UInt64\"", Values::UInt64(vec![u64::MAX])),
        ("value = [1, -2]\ntype = \"Int8\"", Values::Int8(vec![1, -2])),
        ("value = \"cafe\"\ntype = \"Binary\"", Values::Binary(vec![vec![0xCA, 0xFE]])),
    ];
    for (parameters, expected) in cases {
        let mut bench = Bench::started("constant", parameters, "0.1");
        let y = bench.reference("y");
        let mut actual = Values::zeros(expected.value_type(), expected.len());
        bench.instance.get(&[y], actual.slice_mut(0, expected.len())).unwrap();
        assert_eq!(actual, expected, "{parameters}");
    }
}

#[test]
fn a_step_rises_at_its_tag_and_not_one_later() {
    // 0.3 = 30 * 0.01 is where adding steps up would be wrong.
    check_source("step", "time = 0.3\nbefore = -1.0\nafter = 4.0", "0.01", |time| {
        if time < 0.3 { -1.0 } else { 4.0 }
    });
}

#[test]
fn a_ramp_is_straight_between_its_ends() {
    check_source("ramp", "start = 0.5\nduration = 1.0\nfrom = 2.0\nto = 4.0", "1/64", |time| {
        2.0 + 2.0 * (time - 0.5).clamp(0.0, 1.0)
    });
    check_source(
        "ramp",
        "start = 0.5\nduration = 0.0",
        "0.1",
        |time| {
            if time <= 0.5 { 0.0 } else { 1.0 }
        },
    );
}

#[test]
fn a_sine_meets_its_closed_form_at_exact_ticks() {
    let parameters = "amplitude = 2.0\nfrequency = 0.5\nphase = 0.25\noffset = 1.0";
    let mut bench = Bench::started("sine", parameters, "1/30");
    for tick in 0..300 {
        let time = f64::from(tick) / 30.0;
        let expected = 1.0 + 2.0 * libm::sin(std::f64::consts::PI * time + 0.25);
        assert_near(bench.get("y"), expected, 1e-13);
        bench.step();
    }
}

#[test]
fn sources_know_times_before_zero() {
    for (block, parameters, expected) in [
        ("step", "time = -0.5", [0.0, 0.0, 1.0, 1.0]),
        ("ramp", "start = -1.0\nduration = 1.0", [0.0, 0.25, 0.5, 0.75]),
        ("pulse", "delay = -1.0\nperiod = 0.5", [1.0, 0.0, 1.0, 0.0]),
    ] {
        let mut bench = Bench::fresh(block, parameters, "0.25");
        bench.now = Time::from_ticks(-4 * bench.step.ticks());
        bench.start();
        for expected in expected {
            assert_same(bench.get("y"), expected);
            bench.step();
        }
    }
}

#[test]
fn a_sine_after_a_million_cycles_is_where_it_began() {
    let mut bench = Bench::fresh("sine", "phase = 0.5", "1000000");
    bench.start();
    let first = bench.get("y");
    bench.step();
    assert_same(bench.get("y"), first);
}

#[test]
fn pulses_neither_drift_nor_jitter() {
    let mut bench = Bench::started("pulse", "period = 0.3\nduty = 0.4\ndelay = 0.1", "0.01");
    for tick in 0..5000_i64 {
        let phase = (tick - 10).rem_euclid(30);
        let expected = if 10 <= tick && phase < 12 { 1.0 } else { 0.0 };
        assert_eq!(bench.get("y"), expected, "tick {tick}");
        bench.step();
    }
}

#[test]
fn noise_depends_on_seed_and_tag_alone() {
    let draw = |seed: u64, step: &str| -> Vec<u64> {
        let mut bench = Bench::with_seed("noise", "", step, seed);
        bench.start();
        let mut drawn = Vec::new();
        for _ in 0..40 {
            drawn.push(bench.get("y").to_bits());
            assert_eq!(bench.get("y").to_bits(), *drawn.last().unwrap());
            bench.step();
        }
        drawn
    };
    assert_eq!(draw(7, "0.1"), draw(7, "0.1"));
    assert_ne!(draw(7, "0.1"), draw(8, "0.1"));
    let fine: Vec<u64> = draw(7, "0.05").into_iter().step_by(2).collect();
    assert_eq!(fine, draw(7, "0.1")[..20], "what happens at other tags does not matter");
}

#[test]
fn noise_has_the_mean_and_deviation_asked_for() {
    for distribution in ["normal", "uniform"] {
        let parameters = format!("mean = 3.0\ndeviation = 2.0\ndistribution = \"{distribution}\"");
        let mut bench = Bench::started("noise", &parameters, "1");
        let (mut sum, mut squares, count) = (0.0, 0.0, 20_000);
        for _ in 0..count {
            let value = bench.get("y") - 3.0;
            sum += value;
            squares += value * value;
            bench.step();
        }
        assert_near(sum / f64::from(count), 0.0, 0.06);
        assert_near((squares / f64::from(count)).sqrt(), 2.0, 0.06);
    }
}

#[test]
fn noise_is_held_for_its_period() {
    let mut bench = Bench::started("noise", "period = 0.5", "0.1");
    let mut drawn = Vec::new();
    for _ in 0..20 {
        drawn.push(bench.get("y").to_bits());
        bench.step();
    }
    for held in drawn.chunks(5) {
        assert_eq!(held, [held[0]; 5]);
    }
    drawn.dedup();
    assert_eq!(drawn.len(), 4);
}

#[test]
fn a_table_is_linear_between_rows_and_held_at_its_ends() {
    let parameters = &samples().iter().find(|(name, _)| *name == "table").unwrap().1.clone();
    let mut bench = Bench::started("table", parameters, "0.1");
    let expected = [1.0, 2.0, 3.0, 3.0, 5.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0];
    for expected in expected {
        assert_near(bench.get("flow"), expected, 1e-15);
        bench.step();
    }
    let unit =
        bench.description.variables[bench.description.variable("flow").unwrap().index()].unit;
    assert_eq!(bench.description.units[unit.unwrap()].name, "m3/s");
    let mut bench =
        Bench::started("table", &format!("{parameters}\ninterpolation = \"hold\""), "0.1");
    for expected in [1.0, 1.0, 3.0, 3.0, 5.0, 5.0, 5.0, 5.0, 1.0, 1.0] {
        assert_same(bench.get("flow"), expected);
        bench.step();
    }
}

#[test]
fn gain_sum_and_saturation_follow_at_once() {
    let mut bench = Bench::started("gain", "k = 2.0", "0.1");
    for (k, u) in [(2.0, 3.0), (-1.0, 0.5), (0.0, f64::INFINITY)] {
        bench.set("k", k);
        bench.set("u", u);
        assert_same(bench.get("y"), k * u);
    }
    let mut bench = Bench::started("sum", "signs = \"+-+\"", "0.1");
    for (name, value) in [("u1", 0.1), ("u2", 0.7), ("u3", 1e9)] {
        bench.set(name, value);
    }
    assert_same(bench.get("y"), 0.1 - 0.7 + 1e9);
    let mut bench = Bench::started("saturation", "min = -2.0\nmax = 0.5", "0.1");
    for (u, y) in [(-3.0, -2.0), (0.25, 0.25), (7.0, 0.5), (-0.0, -0.0)] {
        bench.set("u", u);
        assert_same(bench.get("y"), y);
    }
    bench.set("u", f64::NAN);
    assert!(bench.get("y").is_nan(), "not-a-number is seen downstream");
}

#[test]
fn element_wise_blocks_take_arrays() {
    let mut bench = Bench::started("gain", "size = 3\nk = 10.0", "0.1");
    bench.set_list("u", &[1.0, 2.0, 3.0]);
    let mut y = [0.0; 3];
    bench.get_list("y", &mut y);
    assert_eq!(y, [10.0, 20.0, 30.0]);
    let mut bench = Bench::started("integrator", "size = 2\nx0 = [1.0, -1.0]", "0.5");
    bench.set_list("u", &[1.0, 4.0]);
    bench.step();
    let mut y = [0.0; 2];
    bench.get_list("y", &mut y);
    assert_eq!(y, [1.5, 1.0]);
}

#[test]
fn an_integrator_is_exact_for_a_held_input_and_stays_within_its_limits() {
    let mut bench = Bench::started("integrator", "x0 = 1.0\nmax = 3.0", "0.25");
    bench.set("u", 2.0);
    for expected in [1.0, 1.5, 2.0, 2.5, 3.0, 3.0] {
        assert_same(bench.get("y"), expected);
        bench.step();
    }
    bench.set("u", -4.0);
    assert_same(bench.get("y"), 3.0);
    bench.step();
    assert_same(bench.get("y"), 2.0);
}

#[test]
fn a_unit_delay_gives_what_was_set_a_step_ago() {
    let mut bench = Bench::started("unit-delay", "y0 = -7.0", "0.1");
    let mut last = -7.0;
    for value in [1.0, 2.0, 3.0] {
        bench.set("u", value);
        assert_same(bench.get("y"), last);
        bench.step();
        last = value;
    }
    assert_same(bench.get("y"), 3.0);
}

#[test]
fn state_space_without_inputs_puts_out_its_states() {
    let mut bench = Bench::started("state-space", "A = [[-1.0]]\nx0 = 8.0", "0.01");
    for _ in 0..100 {
        bench.step();
    }
    assert_near(bench.get("y"), 8.0 * libm::exp(-1.0), 1e-9);
}

#[test]
fn the_direct_part_of_state_space_follows_at_once() {
    let mut bench = Bench::started("state-space", "A = [[0]]\nB = [[1]]\nD = [[3]]", "0.1");
    bench.set("u", 2.0);
    assert_same(bench.get("y"), 6.0);
    bench.step();
    assert_near(bench.get("y"), 6.2, 1e-15);
}

#[test]
fn a_pid_answers_a_step_as_its_equations_say() {
    let mut bench = Bench::started("pid", "kp = 2.0\nki = 0.5\nkd = 0.1\ntf = 0.2", "0.05");
    bench.set("setpoint", 1.0);
    for n in 0..100 {
        let time = 0.05 * f64::from(n);
        let expected = 2.0 + 0.5 * time + 0.1 / 0.2 * libm::exp(-time / 0.2);
        assert_near(bench.get("u"), expected, 1e-12);
        bench.step();
    }
}

#[test]
fn a_limited_pid_does_not_wind_up() {
    let mut bench = Bench::started("pid", "kp = 1.0\nki = 10.0\nmin = -1.0\nmax = 1.0", "0.1");
    bench.set("setpoint", 5.0);
    for _ in 0..100 {
        assert_same(bench.get("u"), 1.0);
        bench.step();
    }
    bench.set("measurement", 6.0);
    bench.step();
    assert_same(bench.get("u"), -1.0);
    assert_near(bench.get("integral"), -1.0, 1e-12);
}

#[test]
fn every_block_has_a_sample_and_is_known_by_its_name() {
    let mut names: Vec<&str> = samples().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, blocks().iter().map(|block| block.name).collect::<Vec<_>>());
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn parameters_are_start_values_and_shaping_ones_can_only_be_confirmed() {
    let mut report = Report::default();
    let loaded = load("sum", "signs = \"+-\"", &mut report).unwrap();
    let mut bench = Bench::of(&loaded, "0.1", 1);
    let signs = bench.reference("signs");
    let mut given = [String::new()];
    bench.instance.get(&[signs], ValuesMut::String(&mut given)).unwrap();
    assert_eq!(given, ["+-"]);
    bench.instance.set(&[signs], ValuesRef::String(&["+-".to_owned()])).unwrap();
    let error = bench.instance.set(&[signs], ValuesRef::String(&["++".to_owned()])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "set(signs) was refused: it determines the shape of the block and cannot change"
    );
    let gain = load("gain", "k = 4", &mut report).unwrap();
    let k = &gain.model.description().variables[0];
    assert_eq!(k.start, Some(literal("4").to_values(ValueType::Float64, &[]).unwrap()));
}

/// What a converting block makes of these inputs, as text, and what its step says.
fn converted(block: &str, parameters: &str, inputs: &[f64]) -> (String, Option<String>) {
    let size = format!("size = {}\n{parameters}", inputs.len());
    let mut bench = Bench::started(block, &size, "0.1");
    bench.set_list("u", inputs);
    let y = bench.reference("y");
    let id = bench.description.variable("y").unwrap();
    let value_type = bench.description.variables[id.index()].value_type;
    let mut values = Values::zeros(value_type, inputs.len());
    bench.instance.get(&[y], values.slice_mut(0, inputs.len())).unwrap();
    let step = bench.next_step();
    let failed = bench.instance.step(&step).err().map(|error| error.to_string());
    (values.view().to_string(), failed)
}

#[test]
fn numbers_become_whole_numbers_and_truth_values() {
    let inputs = [-2.5, -0.4, 0.0, 0.5, 2.5, 100.7];
    for (parameters, expected) in [
        ("", "[-3, 0, 0, 1, 3, 101]"),
        ("method = \"down\"", "[-3, -1, 0, 0, 2, 100]"),
        ("method = \"up\"\ntype = \"Int64\"", "[-2, 0, 0, 1, 3, 101]"),
        ("method = \"toward-zero\"\ntype = \"Int8\"", "[-2, 0, 0, 0, 2, 100]"),
    ] {
        assert_eq!(converted("round", parameters, &inputs), (expected.to_owned(), None));
    }
    let truth = ("[false, false, false, true, true, true]".to_owned(), None);
    assert_eq!(converted("threshold", "", &inputs), truth);
    let truth = ("[false, true, true, true, true, true]".to_owned(), None);
    assert_eq!(converted("threshold", "threshold = -1", &inputs), truth);
}

#[test]
fn what_does_not_fit_is_an_error_and_not_another_number() {
    for (block, parameters, input) in [
        ("round", "", 2_147_483_647.5),
        ("round", "type = \"UInt8\"", -0.6),
        ("round", "type = \"UInt64\"", 18_446_744_073_709_551_616.0),
        ("round", "type = \"Int64\"", f64::INFINITY),
        ("round", "", f64::NAN),
        ("threshold", "", f64::NAN),
    ] {
        let (_, failed) = converted(block, parameters, &[1.0, input]);
        assert!(failed.is_some_and(|text| text.contains("`u`")), "{block} {parameters} {input}");
    }
    for (parameters, input) in [("", 2_147_483_647.4), ("type = \"UInt8\"", -0.4)] {
        assert_eq!(converted("round", parameters, &[input]).1, None, "{input}");
    }
}
