//! Things made once and kept under `target/testkit`.

use consort_core::bytes::hex;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder for everything this crate makes.
pub(crate) fn root() -> PathBuf {
    let root = workspace().join("target/testkit");
    fs::create_dir_all(&root).expect("the target folder is writable");
    root.canonicalize().expect("it was made just now")
}

/// The workspace's root folder.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder `name-KEY`, filled by `make` if it is not there yet.
///
/// It is filled under another name and then renamed, so it is never visible half done; of several makers
/// at the same time the first wins and the others take its folder.
pub(crate) fn folder(name: &str, key: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let target = root().join(format!("{name}-{key}"));
    if target.is_dir() {
        return target;
    }
    let fresh = tempfile::Builder::new()
        .prefix(".making-")
        .tempdir_in(root())
        .expect("the cache folder is writable");
    make(fresh.path());
    if fs::rename(fresh.path(), &target).is_ok() {
        // It has moved; there is nothing left to remove.
        let _ = fresh.keep();
    }
    assert!(target.is_dir(), "`{}` could not be put in place", target.display());
    target
}

/// A key of the parts: 16 hexadecimal digits of a hash in which each part's length counts.
pub(crate) fn key<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize()[..8])
}
