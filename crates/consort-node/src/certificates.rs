//! Throw-away certificates, for nodes that one program starts on this machine.
//!
//! A node is known by its certificate: its name is one of the certificate's DNS names (subject alternative
//! names). Whoever has certificates of an authority of its own uses those; see `docs/distributed.md`.

use crate::options::TlsFiles;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::DnsName;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The host that the certificates are good for, besides the names of their nodes.
const HOST: &str = "localhost";
/// The file that tells whom to trust.
const AUTHORITY: &str = "authority.pem";

/// Vouches for nodes. Its key is never written: it can certify nobody once it is dropped.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    /// A new authority that nobody has heard of; what it signs goes to `folder`, which should be private.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = CertifiedIssuer::self_signed(params, key).map_err(io::Error::other)?;
        write_private(&folder.join(AUTHORITY), &issuer.pem())?;
        Ok(Authority { issuer, folder: folder.to_owned() })
    }

    /// Certifies that whoever has the key is that node, at `localhost`.
    ///
    /// # Errors
    /// If the name [can be no DNS name](is_certifiable), or a file cannot be written.
    pub fn certify(&self, node: &str) -> io::Result<TlsFiles> {
        let names = vec![HOST.to_owned(), node.to_owned()];
        self.certify_names(node, names)
    }

    /// Certifies the names of a host or of several nodes, in the files of `node`.
    ///
    /// # Errors
    /// As [`Authority::certify`].
    pub fn certify_names(&self, node: &str, names: Vec<String>) -> io::Result<TlsFiles> {
        if !is_certifiable(node) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, no_dns_name(node)));
        }
        let params = CertificateParams::new(names).map_err(io::Error::other)?;
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(io::Error::other)?;
        let files = Authority::files(&self.folder, node);
        write_private(&files.certificate, &certificate.pem())?;
        write_private(&files.key, &key.serialize_pem())?;
        Ok(files)
    }

    /// Where the files of a node are that an authority certified into this folder.
    pub fn files(folder: &Path, node: &str) -> TlsFiles {
        TlsFiles {
            authorities: folder.join(AUTHORITY),
            certificate: folder.join(format!("{node}.certificate.pem")),
            key: folder.join(format!("{node}.key.pem")),
        }
    }
}

/// Whether a certificate can hold a node's name: letters, digits, `-`, `_` and `.`, not digits alone.
pub fn is_certifiable(node: &str) -> bool {
    DnsName::try_from(node).is_ok()
}

/// Why a node cannot be known by a certificate.
pub(crate) fn no_dns_name(node: &str) -> String {
    format!(
        "no certificate can be for node `{node}`: its name would have to be a DNS name, of letters, digits, `-` and `_`"
    )
}

/// Only the user may read it, and there was no such file before.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_the_user_may_read_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let files = Authority::new(folder.path()).and_then(|it| it.certify("a")).unwrap();
        assert_eq!(files, Authority::files(folder.path(), "a"));
        for file in [&files.authorities, &files.certificate, &files.key] {
            let mode = file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
        let text = |file: &Path| std::fs::read_to_string(file).unwrap();
        assert!(text(&files.key).starts_with("-----BEGIN PRIVATE KEY-----"));
        assert!(!text(&files.authorities).contains("PRIVATE KEY"));
    }

    #[test]
    fn names_that_no_certificate_can_hold_are_known() {
        for (name, expected) in
            [("plant", true), ("node_1", true), ("a.b-c", true), ("1", false), ("a b", false)]
        {
            assert_eq!(is_certifiable(name), expected, "{name}");
        }
        for name in ["", "../a", "é", "a/b", "*"] {
            assert!(!is_certifiable(name), "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        let refused = Authority::new(folder.path()).and_then(|it| it.certify("a b"));
        let words = refused.expect_err("no DNS name").to_string();
        assert!(words.starts_with("no certificate can be for node `a b`"), "{words}");
    }
}
