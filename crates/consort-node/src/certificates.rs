//! Certificates: temporary ones for nodes that one program starts on this machine, those from files of the user, and
//! those that are derived from a secret.
//!
//! A node is identified by its certificate: its name is one of the certificate's DNS names (subject alternative
//! names). Users with an authority of their own use its certificates; see `docs/distributed.md`.

use crate::credentials::{Credentials, TlsFiles};
use crate::private_file::{in_file, write_private};
use crate::secret;
use consort_core::bytes::hex;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DistinguishedName, DnType,
    IsCa, KeyPair,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, DnsName, PrivateKeyDer};
use sha2::{Digest as _, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// The host name in every certificate, besides the name of its node.
const HOST: &str = "localhost";
/// The name in every certificate that is derived from a secret: the secret decides who belongs to the run, not the host.
const ANY_NODE: &str = "node.consort";
/// The file with the certificate of the authority.
const AUTHORITY: &str = "authority.pem";

/// Issues certificates for nodes. Its key is never written, so nothing can be certified once it is dropped.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Authority {
    /// A new authority; its certificates are written to `folder`, which should be private.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let issuer = issuer(key).map_err(io::Error::other)?;
        write_private(&folder.join(AUTHORITY), &issuer.pem())?;
        Ok(Authority { issuer, folder: folder.to_owned() })
    }

    /// Issues a key and a certificate for a node at `localhost`.
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
        let (certificate, key) = certified(names, &self.issuer).map_err(io::Error::other)?;
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

/// The certificate and key of a node, and the authorities it trusts.
pub(crate) struct Identity {
    pub(crate) authorities: Vec<CertificateDer<'static>>,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    /// The name in all certificates, if hosts do not matter.
    pub(crate) server_name: Option<&'static str>,
}

impl Identity {
    /// That of `node`; the text says which file is wrong, and how.
    pub(crate) fn read(credentials: &Credentials, node: &str) -> Result<Self, String> {
        match credentials {
            Credentials::Files(files) => Identity::from_files(files),
            Credentials::Secret(_) if !is_certifiable(node) => Err(no_dns_name(node)),
            Credentials::Secret(path) => {
                let key = secret::authority_key(path)?;
                Identity::issued(key, node).map_err(|error| in_file(path, &error))
            }
        }
    }

    fn from_files(files: &TlsFiles) -> Result<Self, String> {
        let key = PrivateKeyDer::from_pem_file(&files.key);
        Ok(Identity {
            authorities: certificates(&files.authorities)?,
            chain: certificates(&files.certificate)?,
            key: key.map_err(|error| in_file(&files.key, &error))?,
            server_name: None,
        })
    }

    /// A node with the authority's key issues its own certificate.
    fn issued(key: KeyPair, node: &str) -> Result<Self, rcgen::Error> {
        let issuer = issuer(key)?;
        let (certificate, key) = certified(vec![node.to_owned(), ANY_NODE.to_owned()], &issuer)?;
        Ok(Identity {
            authorities: vec![issuer.der().clone()],
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            server_name: Some(ANY_NODE),
        })
    }
}

fn issuer(key: KeyPair) -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // Two authorities of one name would differ in their signatures only: the error would be a failed decryption.
    let digest: [u8; 32] = Sha256::digest(key.public_key_raw()).into();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, format!("consort {}", hex(&digest[..8])));
    CertifiedIssuer::self_signed(params, key)
}

fn certified(
    names: Vec<String>,
    issuer: &CertifiedIssuer<'static, KeyPair>,
) -> Result<(Certificate, KeyPair), rcgen::Error> {
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(names)?.signed_by(&key, issuer)?;
    Ok((certificate, key))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found = CertificateDer::pem_file_iter(path).map_err(|error| in_file(path, &error))?;
    let found: Result<Vec<_>, _> = found.collect();
    let found = found.map_err(|error| in_file(path, &error))?;
    if found.is_empty() { Err(in_file(path, &"there is no certificate in it")) } else { Ok(found) }
}

/// Whether a certificate can hold a node's name: letters, digits, `-`, `_` and `.`, not digits alone.
pub fn is_certifiable(node: &str) -> bool {
    DnsName::try_from(node).is_ok()
}

/// Why a node cannot be known by a certificate.
pub(crate) fn no_dns_name(node: &str) -> String {
    format!(
        "node `{node}` cannot have a certificate: its name must be a DNS name of letters, digits, `-` and `_`"
    )
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
        let message = refused.expect_err("no DNS name").to_string();
        assert!(message.starts_with("node `a b` cannot have a certificate"), "{message}");
    }
}
