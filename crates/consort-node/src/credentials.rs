//! How nodes authenticate each other.

use std::path::PathBuf;

/// How nodes authenticate each other over encrypted links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Credentials {
    /// Certificates of an authority of the user's.
    Files(TlsFiles),
    /// The file of a [secret](crate::secret::create) that all nodes of the run have.
    Secret(PathBuf),
}

impl From<TlsFiles> for Credentials {
    fn from(files: TlsFiles) -> Self {
        Credentials::Files(files)
    }
}

/// Files in PEM format with which nodes authenticate each other.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TlsFiles {
    /// Certificates of the authorities that the certificates of all nodes are signed by.
    pub authorities: PathBuf,
    /// This node's certificate and its chain up to an authority.
    pub certificate: PathBuf,
    /// The key of that certificate.
    pub key: PathBuf,
}
