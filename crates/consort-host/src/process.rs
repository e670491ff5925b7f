//! A worker process, in which foreign code runs: how it is started, watched and ended.

use super::HostOptions;
use super::channel::Channel;
use super::output::Output;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A live process, ended when dropped, with everything it has started.
pub(crate) struct Process {
    pid: libc::pid_t,
    ending: Option<ProcessEnd>,
    /// The core that it was last moved to.
    core: Option<usize>,
}

/// How many cores a set has room for.
const CORES_MAX: usize = 8 * size_of::<libc::cpu_set_t>();

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProcessEnd {
    /// The process exited by itself.
    Exit(i32),
    /// It was ended by a signal.
    Signal(i32),
    /// Its status cannot be read any more.
    Unknown,
}

impl ProcessEnd {
    /// Whether it was ended from outside: neither by itself nor by its host.
    pub(crate) fn is_from_outside(self) -> bool {
        matches!(self, ProcessEnd::Signal(libc::SIGKILL | libc::SIGTERM))
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessEnd::Exit(code) => write!(f, "its process exited with code {code}"),
            ProcessEnd::Signal(signal) => write!(f, "its process crashed with {}", name(*signal)),
            ProcessEnd::Unknown => f.write_str("its process has ended"),
        }
    }
}

/// What a signal is called.
fn name(signal: i32) -> String {
    let known = match signal {
        libc::SIGSEGV => "SIGSEGV: an invalid memory access",
        libc::SIGABRT => "SIGABRT: it called `abort`",
        libc::SIGFPE => "SIGFPE: an integer division by zero",
        libc::SIGILL => "SIGILL: an instruction that this processor does not have",
        libc::SIGBUS => "SIGBUS: an access to a missing part of a mapped file",
        libc::SIGKILL => "SIGKILL: killed from outside, or out of memory",
        libc::SIGTERM => "SIGTERM: a stop request from outside",
        libc::SIGPIPE => "SIGPIPE: a write to a closed pipe",
        _ => return format!("signal {signal}"),
    };
    known.to_owned()
}

impl Process {
    /// Starts a worker in `folder`, with the channel at its standard input and its output captured. Its memory lies where
    /// that of every worker does, or by chance elsewhere.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub(crate) fn start(
        options: &HostOptions,
        elsewhere: bool,
        channel: &Channel,
        output: &Output,
        folder: &Path,
    ) -> io::Result<Process> {
        let mut command = Command::new(&options.program);
        command.args(&options.arguments).current_dir(folder).process_group(0);
        command.env_clear().envs(environment());
        command.stdin(Stdio::from(channel.file().try_clone()?));
        command.stdout(Stdio::from(output.file()?)).stderr(Stdio::from(output.file()?));
        // Its parent is the thread that started it: one that lives as long as we do.
        let limits = options.limits;
        let ours = std::process::id();
        // SAFETY: what is called between fork and exec are system calls that touch no memory of ours.
        unsafe { command.pre_exec(move || prepare(&limits, ours, elsewhere)) };
        let child = consort_process::spawn(command)?;
        let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
        Ok(Process::adopt(pid))
    }

    /// A process that is a child of ours already.
    pub(crate) fn adopt(pid: libc::pid_t) -> Process {
        Process { pid, ending: None, core: None }
    }

    pub(crate) fn pid(&self) -> libc::pid_t {
        self.pid
    }

    /// Lets it run on the core that we run on. One sleeps while the other works: with a second core, that
    /// one would have to be woken at each turn, and interrupted whenever pages are watched anew.
    pub(crate) fn follow_core(&mut self) {
        // SAFETY: a plain system call without any memory.
        let Ok(core) = usize::try_from(unsafe { libc::sched_getcpu() }) else { return };
        if self.core == Some(core) || CORES_MAX <= core {
            return;
        }
        // SAFETY: the set is on our stack, of zeros and long enough; refusal costs time and nothing else.
        unsafe {
            let mut cores: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(core, &mut cores);
            libc::sched_setaffinity(self.pid, size_of_val(&cores), &raw const cores);
        }
        self.core = Some(core);
    }

    /// How it ended, if it has.
    pub(crate) fn poll(&mut self) -> Option<ProcessEnd> {
        self.wait(libc::WNOHANG)
    }

    /// Ends it and all that it has started, and waits for its end: only then may anything that it
    /// shared with us be used again.
    pub(crate) fn end(&mut self) -> ProcessEnd {
        if self.poll().is_none() {
            // SAFETY: signals to a process that is our child and was not waited for, and to its group.
            unsafe {
                libc::kill(-self.pid, libc::SIGKILL);
                libc::kill(self.pid, libc::SIGKILL);
            }
        }
        self.wait(0).unwrap_or(ProcessEnd::Unknown)
    }

    fn wait(&mut self, flags: libc::c_int) -> Option<ProcessEnd> {
        while self.ending.is_none() {
            let mut status = 0;
            // SAFETY: a child of ours that was not waited for; the status is on our stack.
            let waited = unsafe { libc::waitpid(self.pid, &raw mut status, flags | libc::__WALL) };
            match waited {
                0 => return None,
                waited if waited == self.pid => self.ending = process_end(status),
                _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                _ => self.ending = Some(ProcessEnd::Unknown),
            }
        }
        self.ending
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// How a status of `waitpid` reads; `None` for a process that has not ended.
fn process_end(status: libc::c_int) -> Option<ProcessEnd> {
    match status {
        status if libc::WIFEXITED(status) => Some(ProcessEnd::Exit(libc::WEXITSTATUS(status))),
        status if libc::WIFSIGNALED(status) => Some(ProcessEnd::Signal(libc::WTERMSIG(status))),
        _ => None,
    }
}

/// What a worker finds in its environment: the same on every machine, but for where libraries are.
fn environment() -> Vec<(&'static str, std::ffi::OsString)> {
    const KEPT: [&str; 5] = ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"];
    // Threads cannot be saved and make sums come out in any order; what the C library and the kernel keep
    // in memory for speed would change it behind a snapshot's back.
    const FIXED: [(&str, &str); 10] = [
        ("GLIBC_TUNABLES", "glibc.pthread.rseq=0:glibc.malloc.arena_max=1"),
        ("HOME", "."),
        ("LANG", "C.UTF-8"),
        ("MKL_NUM_THREADS", "1"),
        ("OMP_NUM_THREADS", "1"),
        ("OMP_THREAD_LIMIT", "1"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("PYTHONHASHSEED", "0"),
        ("TMPDIR", "."),
        ("TZ", "UTC"),
    ];
    let kept = KEPT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    kept.chain(FIXED.into_iter().map(|(name, value)| (name, value.into()))).collect()
}

/// In the new process, before it becomes the worker.
fn prepare(limits: &super::ProcessLimits, parent: u32, elsewhere: bool) -> io::Result<()> {
    // SAFETY: plain system calls; what fails is reported to the parent.
    unsafe {
        // It ends with the thread that started it, whatever it is doing.
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        if u32::try_from(libc::getppid()) != Ok(parent) {
            return Err(io::ErrorKind::NotFound.into());
        }
        // Addresses are the same each time, so that a saved image fits another process. Where that is
        // forbidden, as in some containers, images fit their own process only.
        libc::personality(if elsewhere { 0 } else { ADDR_NO_RANDOMIZE });
        libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as libc::c_int);
        limit(libc::RLIMIT_CORE, Some(0))?;
        limit(libc::RLIMIT_AS, limits.address_space)?;
        limit(libc::RLIMIT_NOFILE, limits.open_files)
    }
}

/// The flag of `linux/personality.h` that turns off address randomization.
const ADDR_NO_RANDOMIZE: libc::c_ulong = 0x004_0000;

fn limit(of: libc::__rlimit_resource_t, most: Option<u64>) -> io::Result<()> {
    let Some(most) = most else { return Ok(()) };
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the places are on our stack.
    unsafe {
        check(libc::getrlimit(of, &raw mut now))?;
        let most = most.min(now.rlim_max);
        check(libc::setrlimit(of, &libc::rlimit { rlim_cur: most, rlim_max: most }))
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
