//! Children that answer, crash, ignore stop requests, and are orphaned.

use consort_process::{ChildEvent, ChildId, Input, Supervisor, describe_exit};
use std::process::Command;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(200);

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// All events of a child until its output is closed.
fn events(supervisor: &mut Supervisor<u64>, child: ChildId) -> Vec<ChildEvent<u64>> {
    let mut events = Vec::new();
    while events.last() != Some(&ChildEvent::Closed) {
        let (from, event) = supervisor.wait(LONG).expect("the child ends");
        assert_eq!(from, child);
        events.push(event);
    }
    events
}

#[test]
fn messages_come_in_order_and_other_lines_are_marked() {
    let mut supervisor = Supervisor::new();
    let child = supervisor.start(shell("echo 1; echo hello; echo 2"), Input::None).unwrap();
    let expected = [
        ChildEvent::Message(1),
        ChildEvent::Invalid("hello".to_owned()),
        ChildEvent::Message(2),
        ChildEvent::Closed,
    ];
    assert_eq!(events(&mut supervisor, child), expected);
    let status = supervisor.remove(child, LONG).unwrap();
    assert_eq!(describe_exit(status), "ended with exit code 0");
}

#[test]
fn a_child_answers_and_ends_when_its_input_is_closed() {
    let mut supervisor = Supervisor::new();
    let child = supervisor.start(shell("while read n; do echo $((n + 1)); done"), Input::Lines);
    let child = child.unwrap();
    supervisor.send(child, &41);
    assert_eq!(supervisor.wait(LONG), Some((child, ChildEvent::Message(42))));
    supervisor.process(child).unwrap().close_input();
    assert_eq!(events(&mut supervisor, child), [ChildEvent::Closed]);
    while !supervisor.is_over(child) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_crash_is_described() {
    let mut supervisor = Supervisor::<u64>::new();
    let child = supervisor.start(shell("kill -SEGV $$"), Input::None).unwrap();
    assert_eq!(events(&mut supervisor, child), [ChildEvent::Closed]);
    let status = supervisor.remove(child, LONG).unwrap();
    assert_eq!(describe_exit(status), "was killed by signal 11 (SIGSEGV)");
}

#[test]
fn a_stop_request_reaches_a_child_that_is_suspended() {
    let mut supervisor = Supervisor::new();
    let script = "trap 'echo 7; exit 3' TERM; echo 1; while :; do sleep 0.01; done";
    let child = supervisor.start(shell(script), Input::None).unwrap();
    assert_eq!(supervisor.wait(LONG), Some((child, ChildEvent::Message(1))));
    supervisor.process(child).unwrap().suspend();
    supervisor.request_stop();
    assert_eq!(events(&mut supervisor, child), [ChildEvent::Message(7), ChildEvent::Closed]);
    assert_eq!(describe_exit(supervisor.remove(child, LONG).unwrap()), "ended with exit code 3");
}

#[test]
fn a_child_that_ignores_the_stop_request_is_killed_after_the_grace_period() {
    let mut supervisor = Supervisor::<u64>::new();
    let script = "trap '' TERM; echo 1; while :; do sleep 0.01; done";
    let child = supervisor.start(shell(script), Input::None).unwrap();
    assert_eq!(supervisor.wait(LONG), Some((child, ChildEvent::Message(1))));
    supervisor.request_stop();
    let begin = Instant::now();
    while !supervisor.is_over(child) {
        supervisor.kill_overdue(SHORT);
        supervisor.wait(Duration::from_millis(5));
        assert!(begin.elapsed() < LONG, "the child was not killed");
    }
    assert!(SHORT <= begin.elapsed(), "the grace period was not kept");
}

#[test]
fn a_thread_is_supervised_like_a_process() {
    let mut supervisor = Supervisor::new();
    let sender = supervisor.add_thread();
    let child = sender.id();
    assert!(!supervisor.is_over(child));
    std::thread::spawn(move || sender.send(5_u64));
    assert_eq!(events(&mut supervisor, child), [ChildEvent::Message(5), ChildEvent::Closed]);
    assert!(supervisor.is_over(child));
}

#[test]
fn children_are_killed_when_the_supervisor_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("late");
    let mut supervisor = Supervisor::new();
    let script = format!("echo 1; sleep 0.3; echo > {}", file.display());
    let child = supervisor.start(shell(&script), Input::None).unwrap();
    assert_eq!(supervisor.wait(LONG), Some((child, ChildEvent::Message(1_u64))));
    drop(supervisor);
    std::thread::sleep(Duration::from_millis(600));
    assert!(!file.exists(), "the child went on");
}
