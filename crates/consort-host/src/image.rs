//! States as images of a worker's memory: complete whatever the model keeps in it, and as cheap as what
//! was written since the last one.
//!
//! The worker sleeps while its memory is read and written from outside, so that nothing of this is part
//! of the image itself. What a worker does for it, it does in [`child`].

mod bytes;
pub(crate) mod child;
mod error;
mod kernel;
mod layout;
mod pages;
mod subject;
mod watch;

use super::launch::Launch;
use super::provider::{StateProvider, own};
use super::worker::Worker;
use consort_core::model::CallResult;
use consort_core::{Provider, SavedState};
use error::ImageError;
use layout::Layout;
use pages::PageTable;
use std::io;
use std::sync::{Arc, OnceLock};
use subject::{Outside, Subject};

const SAVE: &str = "save its state";
const RESTORE: &str = "restore a state";
const SERIALIZE: &str = "serialize a state";
const DESERIALIZE: &str = "deserialize a state";

/// Whether states can be saved as images on this machine.
///
/// # Errors
/// The reason why not.
pub fn image_support() -> Result<(), String> {
    static SUPPORT: OnceLock<Result<(), String>> = OnceLock::new();
    SUPPORT.get_or_init(support).clone()
}

fn support() -> Result<(), String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("images need Linux on x86-64".to_owned());
    }
    let missing = |what: &str, error: &io::Error| {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let release = release.trim();
        format!(
            "Linux {release} does not let us {what} ({error}); images need Linux 6.7 or newer, and a \
             container that allows it"
        )
    };
    let descriptor = child::watch_descriptor();
    let descriptor = descriptor.map_err(io::Error::from_raw_os_error);
    let descriptor =
        descriptor.map_err(|error| missing("watch memory by `userfaultfd`", &error))?;
    // SAFETY: a descriptor that was just made and has one owner.
    unsafe { libc::close(descriptor as i32) };
    let scanned = kernel::try_scan();
    scanned.map_err(|error| missing("find written pages by `PAGEMAP_SCAN`", &error))
}

/// Saves states as images.
pub(super) struct Image {
    launch: Arc<Launch>,
    identity: Arc<Identity>,
    subject: Subject,
    /// Files that are mapped.
    mapped: bytes::Files,
    /// Those that were when the instance had just been made.
    loaded: Vec<String>,
}

/// Which instance the images are of.
struct Identity;

/// A state as an image of the worker's memory.
struct ImageState {
    of: Arc<Identity>,
    /// The process it was saved from; none if it was bytes.
    process: i32,
    pages: PageTable,
    layout: Arc<Layout>,
    outside: Outside,
}

impl Image {
    /// For a worker that has nothing loaded yet.
    pub(super) fn new(launch: &Arc<Launch>, worker: &mut Worker) -> CallResult<Self> {
        let subject = Subject::new(worker).map_err(|error| error.of(SAVE))?;
        Ok(Image {
            launch: Arc::clone(launch),
            identity: Arc::new(Identity),
            subject,
            mapped: bytes::Files::default(),
            loaded: Vec::new(),
        })
    }

    fn try_save(&mut self, worker: &mut Worker) -> Result<ImageState, ImageError> {
        let outside = self.subject.absorb(worker)?;
        Ok(ImageState {
            of: Arc::clone(&self.identity),
            process: self.subject.pid(),
            pages: self.subject.watch.pages().clone(),
            layout: Arc::clone(self.subject.watch.layout()),
            outside,
        })
    }

    fn try_restore(&mut self, worker: &mut Worker, state: &ImageState) -> Result<(), ImageError> {
        if !Arc::ptr_eq(&state.of, &self.identity) {
            return Err(ImageError::OtherInstance);
        }
        if !worker.is_gone() && self.subject.put_back(worker, state).is_ok() {
            return Ok(());
        }
        // Its process did not survive, or has threads that it had not then: another one has neither.
        self.begin_anew(worker).map_err(ImageError::Call)?;
        let put_back = self.subject.put_back(worker, state);
        if let Err(error) = &put_back {
            // Half of a state is none.
            worker.abandon(error.to_string());
        }
        put_back
    }

    /// Continues with a new process.
    fn begin_anew(&mut self, worker: &mut Worker) -> CallResult<()> {
        let mut fresh = self.launch.start()?;
        self.subject = Subject::new(&mut fresh).map_err(|error| error.of(RESTORE))?;
        self.launch.load(&mut fresh)?;
        std::mem::replace(worker, fresh).end();
        Ok(())
    }

    fn try_deserialize(
        &mut self,
        worker: &mut Worker,
        from: &[u8],
    ) -> Result<ImageState, ImageError> {
        let mut outside = self.subject.absorb(worker)?;
        outside.files.clear();
        let saved = bytes::read(from, self.subject.watch.layout(), &mut self.mapped)?;
        if saved.sleepers != outside.sleepers {
            return Err(ImageError::Threads);
        }
        let is_missing = |path: &&String| !saved.layout.files().any(|file| file == *path);
        if let Some(path) = self.loaded.iter().find(is_missing) {
            let reason = format!("the image is of another model: it has no `{path}`");
            return Err(ImageError::Bytes(reason));
        }
        Ok(ImageState {
            of: Arc::clone(&self.identity),
            process: 0,
            pages: saved.pages,
            layout: Arc::new(saved.layout),
            outside,
        })
    }
}

impl StateProvider for Image {
    fn provider(&self) -> Provider {
        Provider::Image
    }

    fn begin(&mut self, _worker: &mut Worker) -> CallResult<()> {
        let maps = self.subject.watch.maps().map_err(|error| error.of(SAVE))?;
        let layout = Layout::parse(&maps).unwrap_or_default();
        self.loaded = layout.files().map(ToOwned::to_owned).collect();
        self.loaded.dedup();
        Ok(())
    }

    fn save(&mut self, worker: &mut Worker) -> CallResult<SavedState> {
        let state = self.try_save(worker).map_err(|error| error.of(SAVE))?;
        Ok(SavedState(Box::new(state)))
    }

    fn restore(&mut self, worker: &mut Worker, state: &SavedState) -> CallResult<()> {
        let state: &ImageState = own(RESTORE, state)?;
        self.try_restore(worker, state).map_err(|error| error.of(RESTORE))
    }

    fn serialize(&mut self, _worker: &mut Worker, state: &SavedState) -> CallResult<Vec<u8>> {
        let state: &ImageState = own(SERIALIZE, state)?;
        if let Some(file) = state.outside.files.first() {
            return Err(ImageError::OpenFile(file.target.clone()).of(SERIALIZE));
        }
        bytes::write(state, &mut self.mapped).map_err(|error| error.of(SERIALIZE))
    }

    fn deserialize(&mut self, worker: &mut Worker, bytes: &[u8]) -> CallResult<SavedState> {
        let state = self.try_deserialize(worker, bytes);
        Ok(SavedState(Box::new(state.map_err(|error| error.of(DESERIALIZE))?)))
    }

    fn unshared_bytes(&self, state: &SavedState) -> u64 {
        let state = state.0.downcast_ref::<ImageState>();
        state.map_or(0, |state| state.pages.unshared_bytes())
    }
}
