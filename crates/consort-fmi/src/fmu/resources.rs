//! The location of an FMU's resources, in the form that the FMU expects.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// For FMI 2: a URI.
pub(super) fn uri(resources: &Path) -> CString {
    let mut uri = b"file://".to_vec();
    for &byte in resources.as_os_str().as_bytes() {
        // FMUs often cut `file://` off and use the rest as a path: encode only what must be.
        let is_plain = byte.is_ascii_alphanumeric() || b"/-._~+@:,=".contains(&byte);
        if is_plain {
            uri.push(byte);
        } else {
            uri.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    without_nul(uri)
}

/// For FMI 3: a path that ends with a separator.
pub(super) fn path(resources: &Path) -> CString {
    let mut path = resources.as_os_str().as_bytes().to_vec();
    path.push(b'/');
    without_nul(path)
}

fn without_nul(bytes: Vec<u8>) -> CString {
    CString::new(bytes).expect("a path on Unix contains no NUL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_encodes_what_must_be_and_a_path_ends_with_a_separator() {
        let resources = Path::new("/tmp/my fmu/rés/resources");
        assert_eq!(uri(resources).to_str().unwrap(), "file:///tmp/my%20fmu/r%C3%A9s/resources");
        assert_eq!(path(resources).to_str().unwrap(), "/tmp/my fmu/rés/resources/");
    }
}
