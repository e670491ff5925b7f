//! Zipping a folder, the same way each time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use zip::write::SimpleFileOptions;

/// Writes the files (path inside the archive, content) in order of their paths, without dates.
pub(crate) fn write(path: &Path, files: &BTreeMap<String, Vec<u8>>) {
    let file = File::create(path).expect("the folder of the archive is writable");
    let mut archive = zip::ZipWriter::new(file);
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    for (name, content) in files {
        archive.start_file(name.as_str(), options).expect("our paths fit an archive");
        archive.write_all(content).expect("the disk has room");
    }
    archive.finish().expect("the disk has room");
}
