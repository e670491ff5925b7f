//! Why a model could not be loaded.

use super::errors::interned;
use super::{Reader, Writer};
use consort_core::{Diagnostic, Severity};

const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

/// Places in sources are left out: the other process has other sources.
pub(crate) fn write_diagnostic(to: &mut Writer<'_>, diagnostic: &Diagnostic) {
    to.byte(diagnostic.severity as u8);
    to.text(diagnostic.code);
    to.text(&diagnostic.message);
    to.count(diagnostic.notes.len());
    diagnostic.notes.iter().for_each(|note| to.text(note));
    to.option(diagnostic.help.as_deref(), Writer::text);
}

pub(crate) fn read_diagnostic(from: &mut Reader<'_>) -> Option<Box<Diagnostic>> {
    let severity = from.byte()?;
    let severity = SEVERITIES.into_iter().find(|it| *it as u8 == severity)?;
    let code = interned(from.text()?);
    let message = from.text()?;
    let mut diagnostic = Diagnostic { severity, ..Diagnostic::error(code, message) };
    for _ in 0..from.count()? {
        diagnostic.notes.push(from.text()?.to_owned());
    }
    diagnostic.help = from.option(Reader::text)?.map(str::to_owned);
    Some(Box::new(diagnostic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_off_is_refused() {
        let error = Diagnostic::error("fmi::no-python", "`gain.so` needs a Python interpreter");
        for diagnostic in [
            error.clone(),
            error.with_note("libpython3.11.so").with_note("libpython3.so").help("install it"),
            Diagnostic::warning("model::old", ""),
        ] {
            let mut place = [0; 256];
            let mut writer = Writer::new(&mut place);
            write_diagnostic(&mut writer, &diagnostic);
            let length = writer.finish().expect("there is room");
            let read = read_diagnostic(&mut Reader::new(&place[..length]));
            assert_eq!(read.as_deref(), Some(&diagnostic));
            for cut in 0..length {
                let read = read_diagnostic(&mut Reader::new(&place[..cut]));
                assert_eq!(read, None, "{diagnostic:?} {cut}");
            }
        }
    }
}
