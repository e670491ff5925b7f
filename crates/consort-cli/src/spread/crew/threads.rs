//! Nodes that are threads of this process.

use super::{Crew, Heard, Member, Watching};
use crate::spread::words::{Ending, Word};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Runs nodes side by side and watches them. `compute` is called for each, on a thread of its own, with
/// its index and whom to tell.
pub(crate) fn run(
    nodes: &[String],
    watching: &mut Watching<'_, '_>,
    compute: &(dyn Fn(usize, &Telling) -> Ending + Sync),
) -> Crew {
    let (sender, words) = channel();
    let members = nodes.iter().map(|name| Member::new(name, None)).collect();
    let mut crew = Crew::new(members, words, Duration::MAX / 4);
    std::thread::scope(|scope| {
        for index in 0..nodes.len() {
            let telling = Telling { index, words: sender.clone() };
            scope.spawn(move || {
                let ending = compute(index, &telling);
                telling.tell(Heard::Word(Word::End(Box::new(ending))));
                telling.tell(Heard::Closed);
            });
        }
        drop(sender);
        crew.watch(watching);
    });
    crew
}

/// How a thread tells its starter how it goes.
#[derive(Clone)]
pub(crate) struct Telling {
    index: usize,
    words: Sender<(usize, Heard)>,
}

impl Telling {
    /// Tells something.
    pub(crate) fn tell(&self, heard: Heard) {
        // The starter listens until all have ended.
        let _ = self.words.send((self.index, heard));
    }
}
