//! A secret shared by all nodes of a run: only those that have it can join.
//!
//! The key of an authority follows from the secret, so every node that has it can issue a certificate for itself and
//! check those of the others. Links are ordinary TLS then: what was seen of one connection cannot be used for another.

use crate::private_file::{in_file, write_private};
use consort_core::bytes::hex;
use rcgen::KeyPair;
use rustls::pki_types::PrivatePkcs8KeyDer;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// How many hexadecimal digits it has. A pass phrase is refused: everything that connects receives a certificate against
/// which guesses can be checked.
const DIGITS: usize = 64;
/// A longer file is not read.
const LENGTH_MAX: u64 = 4096;
/// The access rights that users other than the owner have to the file.
const OTHERS: u32 = 0o077;
/// Separates this use of the secret from any other.
const PURPOSE: &[u8] = b"consort: authority of the nodes of a run, version 1";
/// What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410).
const PKCS8_ED25519: [u8; 16] =
    [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// Makes a new secret of 256 random bits in a file that only the user may read.
///
/// # Errors
/// If the file exists, or cannot be written.
pub fn create(path: &Path) -> io::Result<()> {
    write_private(path, &format!("{}\n", hex(&random::<32>()?)))
}

/// Random bytes of the operating system.
///
/// # Errors
/// If it gives none.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The key of the authority that follows from a secret; the text says what is wrong with the file.
pub(crate) fn authority_key(path: &Path) -> Result<KeyPair, String> {
    let secret = read(path)?;
    let seed = Sha256::new().chain_update(PURPOSE).chain_update(&secret).finalize();
    let der = [&PKCS8_ED25519[..], &seed].concat();
    KeyPair::try_from(&PrivatePkcs8KeyDer::from(der)).map_err(|error| in_file(path, &error))
}

/// The secret, without white space around it.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| in_file(path, &error))?;
    if metadata.permissions().mode() & OTHERS != 0 {
        return Err(in_file(path, &"others may read the secret: `chmod 600` it"));
    }
    let is_short = metadata.len() <= LENGTH_MAX;
    let text = if is_short { fs::read(path) } else { Ok(Vec::new()) };
    let text = text.map_err(|error| in_file(path, &error))?;
    let secret = text.trim_ascii();
    if secret.len() != DIGITS || !secret.iter().all(u8::is_ascii_hexdigit) {
        let none = format_args!(
            "a secret has {DIGITS} hexadecimal digits: make one with `consort node secret FILE`"
        );
        return Err(in_file(path, &none));
    }
    Ok(secret.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_gives_the_same_key_everywhere_and_another_secret_another() {
        let folder = tempfile::tempdir().unwrap();
        let [one, same, other] = ["one", "same", "other"].map(|name| folder.path().join(name));
        create(&one).unwrap();
        create(&other).unwrap();
        let text = fs::read_to_string(&one).unwrap();
        write_private(&same, &format!("  {}\n\n", text.trim())).unwrap();
        let key = |path: &Path| authority_key(path).unwrap().serialize_der();
        assert_eq!(key(&one), key(&same));
        assert_ne!(key(&one), key(&other));
        let refused = create(&one).expect_err("a secret is not replaced");
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn what_is_no_secret_is_refused_with_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let check = |text: &str, mode: u32, expected: &str| {
            let path = folder.path().join("secret");
            let _ = fs::remove_file(&path);
            write_private(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let reason = read(&path).expect_err(expected);
            assert!(reason.contains(expected), "{reason}");
        };
        let fine = "0f".repeat(DIGITS / 2);
        for none in
            ["", "0f", &" ".repeat(100), &"x".repeat(DIGITS), &fine.repeat(2), &fine.repeat(100)]
        {
            check(none, 0o600, "64 hexadecimal digits: make one with `consort node secret FILE`");
        }
        check(&fine, 0o644, "`chmod 600` it");
        assert!(read(Path::new("/no/such/file")).expect_err("nothing").contains("/no/such/file"));
    }
}
