//! Where recorded chunks go.

use crate::error::TraceError;
use crate::record::Chunk;

/// Takes the chunks of a run in order and keeps them: in a file, in memory, in several places.
///
/// The one who records moves full chunks to a writer, on another thread where that helps, and gets
/// them back to be cleared and filled again.
pub trait TraceWriter {
    /// Takes the rows of `chunk`, which come after those of the chunks before.
    ///
    /// # Errors
    /// If they could not be kept.
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError>;

    /// Writes what is still held back and closes the form of the file. To be called at the end,
    /// also of a run that failed: what was recorded before can then be read. Calling it again, or
    /// after the writer itself failed, is harmless.
    ///
    /// # Errors
    /// If the rest could not be written.
    fn finish(&mut self) -> Result<(), TraceError>;
}

/// Gives every chunk to several writers.
///
/// A writer that fails does not keep the others from their rows; the first error is reported.
#[derive(Default)]
pub struct Tee<'a> {
    writers: Vec<Box<dyn TraceWriter + Send + 'a>>,
}

impl<'a> Tee<'a> {
    /// A tee to these writers.
    pub fn new(writers: Vec<Box<dyn TraceWriter + Send + 'a>>) -> Self {
        Tee { writers }
    }

    /// Adds a writer, before the first chunk.
    pub fn push(&mut self, writer: Box<dyn TraceWriter + Send + 'a>) {
        self.writers.push(writer);
    }

    fn each(
        &mut self,
        mut action: impl FnMut(&mut dyn TraceWriter) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let mut first = Ok(());
        for writer in &mut self.writers {
            let result = action(writer.as_mut());
            first = first.and(result);
        }
        first
    }
}

impl TraceWriter for Tee<'_> {
    fn write(&mut self, chunk: &Chunk) -> Result<(), TraceError> {
        self.each(|writer| writer.write(chunk))
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        self.each(|writer| writer.finish())
    }
}
