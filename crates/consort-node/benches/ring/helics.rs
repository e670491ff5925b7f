//! The ring on HELICS: the library of the PyPI wheel, driven from C.

use crate::{Measured, Ring};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How HELICS runs a ring.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// In one process, a thread for each federate: the ordinary way.
    Threads,
    /// In one process, federates that the library calls back: new in HELICS 3.5, and its fastest way.
    Callbacks,
    /// A process for each federate and one for the broker, over plain TCP.
    Tcp,
    /// The same, over ZeroMQ over TCP.
    Zmq,
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Way::Threads => "threads",
            Way::Callbacks => "callbacks",
            Way::Tcp => "tcp",
            Way::Zmq => "zmq",
        }
    }
}

const TRIES: u32 = 3;

/// The compiled program.
pub(crate) struct Helics {
    program: PathBuf,
}

impl Helics {
    /// Compiles the program against the wheel's header and library.
    pub(crate) fn compile() -> Helics {
        let install = consort_testkit::python::helics();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/ring/helics.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("helics-ring");
        let library = install.join("lib64");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source);
        compiler.arg("-I").arg(install.join("include/helics")).arg("-L").arg(&library);
        compiler.arg(format!("-Wl,-rpath,{}", library.display())).args(["-lhelics", "-lpthread"]);
        assert!(compiler.status().expect("a C compiler is installed").success(), "it compiles");
        Helics { program }
    }

    /// Runs the ring; now and then, on a busy machine, its federates do not find their broker.
    pub(crate) fn run(&self, way: Way, ring: Ring) -> Measured {
        let mut last = String::new();
        for _ in 0..TRIES {
            match self.attempt(way, ring) {
                Ok(measured) => return measured,
                Err(words) => last = words,
            }
        }
        panic!("{last}")
    }

    fn attempt(&self, way: Way, ring: Ring) -> Result<Measured, String> {
        let numbers = [ring.nodes as u64, ring.steps, ring.doubles as u64];
        let mut command = Command::new(&self.program);
        command.arg(way.word()).args(numbers.map(|number| number.to_string()));
        let output = command.arg(crate::free_ports(1)[0].to_string()).output().expect("it runs");
        // The library says something now and then.
        let text = String::from_utf8_lossy(&output.stdout);
        let measured = text.lines().filter(|_| output.status.success()).find_map(parse);
        let said = || String::from_utf8_lossy(&output.stderr);
        measured.ok_or_else(|| format!("{}: {text}{}", output.status, said()))
    }
}

fn parse(line: &str) -> Option<Measured> {
    let (seconds, hash) = line.split_once(' ')?;
    Some(Measured { seconds: seconds.parse().ok()?, hash: u64::from_str_radix(hash, 16).ok()? })
}
