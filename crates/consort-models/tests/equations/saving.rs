//! Saving, restoring and bytes: an instance continues bit for bit.

use crate::bench::{Bench, Settings};
use consort_core::{Prng, Report};
use consort_equations::{compile, read};
use consort_solve::integrate::SolverKind;

/// Everything that must be saved: states, discretes, events that wait with and without values, memory of
/// conditions, delays, inputs, time events.
pub(crate) const BUSY: &str = "
model busy
  parameter k = 8
  input u = 0.25
  output state x = 1
  output state y = 0
  output discrete n = 0
  output discrete late = 0
  discrete next = 0.3
  output echo = delay(x, 0.35) + delay(y*u, 0.1)
  der(x) = y + 0.1*delay(y, 0.35)
  der(y) = -k*k*x + u - 0.1*delay(y, 0.2)
  when x > 0.4 after 0.45 then
    late = late + x
    y = y + 0.125
  end
  when x < 0 after 0.2 priority x then
    n = n + 1
  end
  when time >= next then
    next = next + 0.3
    y = y*0.9
  end
end";

const STEP: i64 = 30_000_000;
const STEPS: usize = 120;

fn settings(kind: SolverKind) -> Settings {
    Settings { kind, tolerance: 1e-6, step: STEP }
}

/// What is seen after a step, to the bit. The input changes now and then.
fn advance(bench: &mut Bench) -> [u64; 5] {
    let count = bench.ticks() / STEP;
    if count % 7 == 3 {
        bench.set("u", 0.25 + 0.125 * (count % 4) as f64);
    }
    bench.step();
    ["x", "y", "n", "late", "echo"].map(|name| bench.get(name).to_bits())
}

fn whole(kind: SolverKind) -> Vec<[u64; 5]> {
    let mut bench = Bench::with(BUSY, settings(kind));
    let seen: Vec<[u64; 5]> = (0..STEPS).map(|_| advance(&mut bench)).collect();
    assert!(2.0 < bench.get("n") && bench.get("late") != 0.0, "events have waited and happened");
    seen
}

#[test]
fn a_saved_state_continues_bit_for_bit() {
    for kind in [SolverKind::Bdf, SolverKind::DormandPrince5] {
        let expected = whole(kind);
        let seed = 20_261_115;
        println!("seed {seed}");
        let mut prng = Prng::new(seed);
        let mut bench = Bench::with(BUSY, settings(kind));
        for (point, expected) in expected.iter().enumerate() {
            let saved = bench.save();
            // Somewhere else meanwhile.
            for _ in 0..prng.below(12) {
                advance(&mut bench);
            }
            bench.restore(&saved);
            assert_eq!(&advance(&mut bench), expected, "{} at {point}", kind.name());
        }
    }
}

#[test]
fn bytes_continue_in_another_instance_bit_for_bit() {
    let expected = whole(SolverKind::Bdf);
    let seed = 7;
    println!("seed {seed}");
    let mut prng = Prng::new(seed);
    let mut bench = Bench::with(BUSY, settings(SolverKind::Bdf));
    let mut kept = vec![(bench.bytes(), bench.ticks())];
    for _ in 0..STEPS {
        advance(&mut bench);
        kept.push((bench.bytes(), bench.ticks()));
    }
    for _ in 0..200 {
        let point = prng.below(STEPS as u64) as usize;
        let mut other = Bench::fresh(BUSY, settings(SolverKind::Bdf));
        let (bytes, ticks) = &kept[point];
        other.load(bytes, *ticks);
        assert_eq!(&other.bytes(), bytes, "what was read is written as it was");
        for (at, expected) in expected.iter().enumerate().skip(point).take(5) {
            assert_eq!(&advance(&mut other), expected, "from {point}, at {at}");
        }
    }
}

#[test]
fn the_bytes_of_another_model_are_refused() {
    let mut bench = Bench::with(BUSY, settings(SolverKind::Bdf));
    let bytes = bench.bytes();
    let mut other = Bench::with(&BUSY.replace("0.9", "0.8"), settings(SolverKind::Bdf));
    let refused = other.instance.deserialize(&bytes).err().expect("refused").to_string();
    assert_eq!(
        refused,
        "deserialize a state() was refused: the bytes were saved from another model"
    );
    let state = bench.save();
    assert!(other.instance.restore(&state.0).is_err(), "nor a state that was not written");
}

#[test]
fn the_bytes_of_an_older_version_are_refused_by_name() {
    let mut bench = Bench::with(BUSY, settings(SolverKind::Bdf));
    let mut bytes = bench.bytes();
    let at = bytes.windows(8).position(|it| it == b"consteq5").expect("the version is written");
    bytes[at + 7] = b'4';
    let refused = bench.instance.deserialize(&bytes).err().expect("refused").to_string();
    assert!(refused.contains("a state of an older version than 5"), "{refused}");
}

#[test]
fn the_bytes_of_a_model_are_its_own_wherever_it_was_read() {
    let mut report = Report::default();
    report.add_source("system.toml", "model = \"busy.eq\"");
    let moved = format!("# moved down by a line\n{BUSY}");
    let tree = read("elsewhere.eq", &moved, &mut report).unwrap();
    let mut other = Bench::of(compile(&tree, &mut report).unwrap(), settings(SolverKind::Bdf));
    let mut bench = Bench::with(BUSY, settings(SolverKind::Bdf));
    advance(&mut bench);
    other.load(&bench.bytes(), bench.ticks());
    assert_eq!(advance(&mut other), advance(&mut bench));
}

#[test]
fn damaged_bytes_are_refused_or_harmless() {
    let mut bench = Bench::with(BUSY, settings(SolverKind::Bdf));
    bench.run_to(1.0);
    let bytes = bench.bytes();
    for end in 0..bytes.len() {
        assert!(bench.instance.deserialize(&bytes[..end]).is_err(), "{end} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(bench.instance.deserialize(&longer).is_err());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        let _ = bench.instance.deserialize(&damaged);
    }
}

#[test]
fn steps_allocate_nothing_after_a_while() {
    let mut bench = Bench::with(BUSY, settings(SolverKind::Bdf));
    let references = ["x", "y", "n", "late", "echo"].map(|name| bench.reference(name));
    let input = [bench.reference("u")];
    for _ in 0..3 * STEPS {
        bench.step();
    }
    let mut values = [0.0; 5];
    let info = allocation_counter::measure(|| {
        for count in 0..STEPS {
            let u = [0.25 + 0.125 * (count % 3) as f64];
            bench.instance.set(&input, consort_core::ValuesRef::Float64(&u)).unwrap();
            bench.step();
            let values = consort_core::ValuesMut::Float64(&mut values);
            bench.instance.get(&references, values).unwrap();
        }
    });
    assert_eq!(info.count_total, 0);
}
