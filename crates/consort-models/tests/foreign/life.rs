//! Programs that do what they should.

use crate::bench::{Bench, Shop};
use consort_core::{Refresh, Values, ValuesMut, ValuesRef};
use std::path::Path;
use std::process::Command;

const TANK: &str = include_str!("../../../../examples/foreign-c/tank.c");
const TANK_INTERFACE: &str = include_str!("../../../../examples/foreign-c/tank.toml");

fn tank() -> Shop {
    Shop::new(&[("tank.c", &TANK.replace("\"tank\"", "\"it\"")), ("it.toml", TANK_INTERFACE)])
}

/// The tank of the example, computed here.
fn expected(steps: usize, inflow: impl Fn(usize) -> f64) -> f64 {
    let mut level: f64 = 0.5;
    for step in 0..steps {
        level += 0.1 * ((inflow(step) - 0.4 * level.sqrt()) / 2.0);
    }
    level
}

fn inflow(step: usize) -> f64 {
    0.1 * step as f64
}

fn run(bench: &mut Bench, steps: std::ops::Range<usize>) {
    for step in steps {
        bench.set_real("inflow", inflow(step));
        bench.step().unwrap();
    }
}

#[test]
fn a_program_in_c_steps_and_ends_with_its_run() {
    let mut bench = tank().fresh(None).unwrap();
    assert_eq!(bench.description.capabilities.refresh, Refresh::ByStep);
    bench.initialize().unwrap();
    assert_eq!(bench.real("level"), 0.5);
    run(&mut bench, 0..50);
    assert_eq!(bench.real("level"), expected(50, inflow));
    bench.instance.terminate().unwrap();
    assert_eq!(bench.real("level"), expected(50, inflow));
    assert!(bench.step().is_err());
}

#[test]
fn start_values_and_parameters_arrive_before_the_first_output() {
    let mut bench = tank().fresh(None).unwrap();
    bench.set_real("level", 2.0);
    bench.set_real("outlet", 0.0);
    bench.initialize().unwrap();
    assert_eq!(bench.real("level"), 2.0);
    bench.set_real("inflow", 1.0);
    bench.step().unwrap();
    assert_eq!(bench.real("level"), 2.0 + 0.1 * (1.0 / 2.0));
    let refused = bench.set("area", &Values::Float64(vec![3.0])).unwrap_err();
    insta::assert_snapshot!(refused, @"set() was refused: `area`: it is fixed once the program has started");
    let refused = bench.set("level", &Values::Float64(vec![3.0])).unwrap_err();
    insta::assert_snapshot!(refused, @"set() was refused: `level`: the program computes it");
}

#[test]
fn a_saved_program_continues_bit_for_bit_also_in_another_process() {
    let shop = tank();
    let mut first = shop.fresh(None).unwrap();
    first.initialize().unwrap();
    run(&mut first, 0..20);
    let saved = first.instance.save().unwrap();
    let bytes = first.instance.serialize(&saved).unwrap();
    run(&mut first, 20..40);
    let undisturbed = first.real("level");
    assert_eq!(undisturbed, expected(40, inflow));
    first.instance.restore(&saved).unwrap();
    assert_eq!(first.real("level"), expected(20, inflow));
    run(&mut first, 20..40);
    assert_eq!(first.real("level"), undisturbed);

    let mut second = shop.fresh(None).unwrap();
    second.initialize().unwrap();
    let restored = second.instance.deserialize(&bytes).unwrap();
    second.instance.restore(&restored).unwrap();
    run(&mut second, 20..40);
    assert_eq!(second.real("level"), undisturbed);
    for end in 0..bytes.len() {
        assert!(second.instance.deserialize(&bytes[..end]).is_err(), "{end}");
    }
}

#[test]
fn values_of_every_type_and_shape_go_both_ways() {
    let interface = "source = [\"it.c\"]\n[inputs]\nr = { dimensions = [2, 2] }\nw = { type = \"Int64\" }\n\
                     n = { type = \"Int32\" }\nb = { type = \"Boolean\", dimensions = [3] }\n\
                     s = { type = \"String\" }\n[outputs]\nr2 = { dimensions = [2, 2] }\n\
                     w2 = { type = \"Int64\" }\nn2 = { type = \"Int32\" }\n\
                     b2 = { type = \"Boolean\", dimensions = [3] }\ns2 = { type = \"String\" }\n";
    let program = r#"
#include "consort.h"
#include <stdio.h>
int main(void) {
    consort_node *node = consort_join("it");
    int r = consort_variable(node, "r"), w = consort_variable(node, "w"), n = consort_variable(node, "n");
    int b = consort_variable(node, "b"), s = consort_variable(node, "s");
    char text[100];
    size_t i;
    while (consort_next(node, NULL, NULL) == 1) {
        for (i = 0; i < consort_count(node, r); i++) consort_put_at(node, r + 5, i, consort_get_at(node, r, i));
        for (i = 0; i < consort_count(node, b); i++) {
            consort_put_whole(node, b + 5, i, !consort_get_whole(node, b, i));
        }
        consort_put_whole(node, w + 5, 0, consort_get_whole(node, w, 0));
        consort_put_whole(node, n + 5, 0, consort_get_whole(node, n, 0) - 1);
        snprintf(text, sizeof text, "<%s>", consort_get_text(node, s, 0));
        consort_put_text(node, s + 5, 0, text);
        printf("stepped to %s\n", text);
        fflush(stdout);
    }
    return consort_leave(node);
}
"#;
    let mut bench = Shop::new(&[("it.toml", interface), ("it.c", program)]).fresh(None).unwrap();
    bench.initialize().unwrap();
    let reals = Values::Float64(vec![1.5, -0.0, f64::INFINITY, f64::MIN_POSITIVE]);
    bench.set("r", &reals).unwrap();
    bench.set("w", &Values::Int64(vec![i64::MIN])).unwrap();
    bench.set("n", &Values::Int32(vec![i32::MAX])).unwrap();
    bench.set("b", &Values::Boolean(vec![true, false, true])).unwrap();
    bench.set("s", &Values::String(vec!["größer".to_owned()])).unwrap();
    bench.step().unwrap();
    assert_eq!(bench.get("r2", 4), reals);
    assert_eq!(bench.get("w2", 1), Values::Int64(vec![i64::MIN]));
    assert_eq!(bench.get("n2", 1), Values::Int32(vec![i32::MAX - 1]));
    assert_eq!(bench.get("b2", 3), Values::Boolean(vec![false, true, false]));
    assert_eq!(bench.get("s2", 1), Values::String(vec!["<größer>".to_owned()]));
    assert_eq!(bench.log(), ["stepped to <größer>"]);
}

#[test]
fn a_program_in_python_steps_and_is_saved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/foreign-python");
    // The example joins as `controller`; what is asked for here is called `it`.
    let shop = Shop::new(&[]);
    let text = std::fs::read_to_string(folder.join("controller.py")).unwrap();
    let text = text.replace("\"controller\"", "\"it\"");
    std::fs::write(shop.folder.path().join("controller.py"), text).unwrap();
    std::fs::copy(folder.join("controller.toml"), shop.folder.path().join("it.toml")).unwrap();
    let loaded = shop.load(None).unwrap();
    let mut bench = Bench::fresh(&loaded).unwrap();
    bench.initialize().unwrap();
    bench.set_real("setpoint", 1.0);
    bench.set_real("level", 0.25);
    let expected = |steps: usize| (0..steps).fold(0.2, |u, _| u + 0.1 * (0.02 * 0.75));
    (0..5).for_each(|_| bench.step().unwrap());
    let saved = bench.instance.save().unwrap();
    (0..5).for_each(|_| bench.step().unwrap());
    assert_eq!(bench.real("u"), expected(10));
    bench.instance.restore(&saved).unwrap();
    assert_eq!(bench.real("u"), expected(5));
    (0..5).for_each(|_| bench.step().unwrap());
    assert_eq!(bench.real("u"), expected(10));
}

#[test]
fn a_program_that_was_stopped_for_a_while_gives_the_same() {
    let mut bench = tank().fresh(None).unwrap();
    bench.initialize().unwrap();
    run(&mut bench, 0..5);
    let program = program_of_this_thread();
    signal("STOP", &program);
    let waker = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        signal("CONT", &program);
    });
    run(&mut bench, 5..20);
    waker.join().unwrap();
    assert_eq!(bench.real("level"), expected(20, inflow));
}

/// The process that this thread started last.
fn program_of_this_thread() -> String {
    let own = std::fs::read_to_string("/proc/thread-self/children").unwrap();
    own.split_whitespace().last().unwrap().to_owned()
}

fn signal(name: &str, process: &str) {
    let kill = Command::new("kill").args(["-s", name, process]).status();
    assert!(kill.unwrap().success());
}

#[test]
fn a_step_allocates_nothing() {
    let mut bench = tank().fresh(None).unwrap();
    bench.initialize().unwrap();
    run(&mut bench, 0..5);
    let [inflow, level] = ["inflow", "level"].map(|name| {
        let id = bench.description.variable(name).unwrap();
        bench.description.variables[id.index()].reference
    });
    let mut got = [0.0];
    let info = allocation_counter::measure(|| {
        for _ in 0..100 {
            bench.instance.set(&[inflow], ValuesRef::Float64(&[0.5])).unwrap();
            bench.step().unwrap();
            bench.instance.get(&[level], ValuesMut::Float64(&mut got)).unwrap();
        }
    });
    assert_eq!(info.count_total, 0);
}
