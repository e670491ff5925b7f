//! Threads that keep the machine busy, so that the scheduler has to choose.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Threads that spin until this is dropped.
pub(super) struct Load {
    over: Arc<AtomicBool>,
    handles: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts the threads.
    pub(super) fn start(threads: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = || {
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let handles = (0..threads).map(|_| busy()).collect();
        Load { over, handles }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for handle in self.handles.drain(..) {
            // A thread that only spins cannot have panicked.
            let _ = handle.join();
        }
    }
}
