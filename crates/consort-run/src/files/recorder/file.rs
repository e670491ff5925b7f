//! A file whose check sum comes about as it is written.

use consort_trace::CheckSum;
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A file that is being written.
pub(super) struct SummedFile {
    file: File,
    sum: Arc<Mutex<CheckSum>>,
}

impl SummedFile {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(SummedFile { file: File::create(path)?, sum: Arc::default() })
    }

    /// The check sum of what was written so far.
    pub(super) fn sum(&self) -> Arc<Mutex<CheckSum>> {
        Arc::clone(&self.sum)
    }
}

impl Write for SummedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.sum.lock().expect("no writer panics").update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The check sum of a file that was written.
///
/// # Errors
/// If it cannot be read.
pub fn check_sum(path: &Path) -> io::Result<String> {
    let (mut file, mut sum) = (File::open(path)?, CheckSum::default());
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(sum.to_string()),
            count => sum.update(&buffer[..count]),
        }
    }
}
