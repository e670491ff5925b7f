//! The private folder of a distributed run: sockets, parts of snapshots, what each node records. It is
//! gone when the record of the run is made.

use consort_run::Error;
use consort_run::run_id::{RunId, id_text};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The longest path that a socket may have, less the name of its file.
const SOCKET_FOLDER_MAX: usize = 90;

/// An id that no other run has. It reaches no trace.
///
/// # Errors
/// If the system gives no random bytes.
pub fn random_id() -> Result<RunId, Error> {
    let random = consort_node::secret::random();
    random.map_err(|error| Error::unreadable(Path::new("/dev/urandom"), &error))
}

/// A private folder that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    id: RunId,
    path: PathBuf,
    /// Where sockets are, if paths in the folder are too long for them.
    sockets: Option<PathBuf>,
    is_kept: bool,
}

impl Scratch {
    /// A folder for a run in the cache.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(cache: &Path, id: RunId) -> Result<Self, Error> {
        let name = id_text(id);
        let nodes = cache.join("nodes");
        let path = nodes.join(&name);
        let made = fs::create_dir_all(&nodes).and_then(|()| make_private(&path));
        made.map_err(|error| Error::unwritable(&path, &error))?;
        let path = path.canonicalize().unwrap_or(path);
        let mut scratch = Scratch { id, path, sockets: None, is_kept: false };
        if SOCKET_FOLDER_MAX < scratch.path.as_os_str().len() {
            let sockets = std::env::temp_dir().join(format!("consort-{name}"));
            make_private(&sockets).map_err(|error| Error::unwritable(&sockets, &error))?;
            scratch.sockets = Some(sockets);
        }
        Ok(scratch)
    }

    /// The run that it belongs to.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It stays, for who needs what is in it.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Where a file of it is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Where the socket of the node with this index is.
    pub fn socket(&self, index: usize) -> PathBuf {
        self.sockets.as_ref().unwrap_or(&self.path).join(format!("{index}.socket"))
    }
}

fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let path = (!self.is_kept).then_some(&self.path);
        for path in [path, self.sockets.as_ref()].into_iter().flatten() {
            // What cannot be removed is in the cache, or where the system clears up by itself.
            let _ = fs::remove_dir_all(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_folder_is_private_and_goes_with_its_run() {
        let temp = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(temp.path(), [7; 16]).unwrap();
        let path = scratch.file("x");
        fs::write(&path, "x").unwrap();
        let mode = path.parent().unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(scratch);
        assert!(!path.exists());
        assert!(temp.path().exists());
    }

    #[test]
    fn sockets_have_short_paths_wherever_the_cache_is() {
        let temp = tempfile::tempdir().unwrap();
        let deep = temp.path().join("x".repeat(120));
        fs::create_dir(&deep).unwrap();
        let scratch = Scratch::new(&deep, random_id().unwrap()).unwrap();
        let socket = scratch.socket(3);
        assert!(socket.as_os_str().len() <= 107, "{}", socket.display());
        let listener = std::os::unix::net::UnixListener::bind(&socket);
        assert!(listener.is_ok());
        drop(scratch);
        assert!(!socket.exists());
    }

    #[test]
    fn no_two_runs_have_one_id() {
        assert_ne!(random_id().unwrap(), random_id().unwrap());
    }
}
