//! `consort export SYSTEM OUT`: writes a system in another form. `consort export fmu MODEL`: makes an FMU.

mod files;
mod fmu;
mod moved;

use crate::cli::{ExportArgs, ExportSubject, ExportSystemArgs, Global};
use crate::outcome::{CommandError, CommandResult, Exit, plain_words};
use crate::output::printer::Printer;
use crate::pipeline;
use consort::Loaded;
use consort_core::{Diagnostic, Literal, ModelDescription, ModelReference, Report};
use consort_formats::{multimodel, ssp};
use consort_models::pack::{PackError, Packed, resource_bytes, write_archive};
use consort_models::ssp::Nested;
use consort_system::{ResolvedSystem, Spanned, SystemDescription};
use files::Files;
use moved::Moved;
use std::cell::RefCell;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// The form in which a system is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Toml,
    Ssp,
    SspFolder,
    MultiModel,
}

/// Reads, checks and writes it.
pub(crate) fn execute(args: &ExportArgs, global: &Global, printer: &Printer) -> CommandResult {
    match &args.subject {
        Some(ExportSubject::Fmu(args)) => fmu::execute(args, global, printer),
        None => export_system(&args.system, global, printer),
    }
}

fn export_system(args: &ExportSystemArgs, global: &Global, printer: &Printer) -> CommandResult {
    let (system, out) = args.paths();
    let form = form_of(out)?;
    let mut report = Report::default();
    let waiting = printer.waiting(&format!("loading {}", system.display()));
    let loaded = pipeline::load(system, &args.experiment, global, &mut report)?;
    let checked = loaded.and_then(|loaded| {
        let resolved = loaded.resolve(&mut report)?;
        Some((loaded, resolved))
    });
    let Some((loaded, resolved)) = checked else {
        return Err(CommandError::Invalid { report });
    };
    let mut files = Files::default();
    let nested = RefCell::new(Nested::new(&pipeline::cache_dir(global)));
    let export = Export { args, out, loaded: &loaded, resolved: &resolved, nested: &nested };
    export.make(form, &mut files, &mut report)?;
    drop(waiting);
    if report.has_errors() {
        return Err(CommandError::Invalid { report });
    }
    files.check(args.force)?;
    printer.report(&report, "");
    files.write()?;
    printer.say(&files.said());
    Ok(Exit::Done)
}

fn form_of(out: &Path) -> Result<Form, CommandError> {
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_folder = out.is_dir() || out.to_string_lossy().ends_with('/');
    match ending.as_deref() {
        _ if is_folder => Ok(Form::SspFolder),
        Some("toml") => Ok(Form::Toml),
        Some("json") => Ok(Form::MultiModel),
        Some("ssp") => Ok(Form::Ssp),
        None => Ok(Form::SspFolder),
        Some(_) => {
            let message =
                format!("the ending of `{}` is not that of a form of a system", out.display());
            let diagnostic = Diagnostic::error("cli::unknown-form", message);
            let help = "let it end in `.toml`, `.ssp` or `.json`; a folder is an SSP";
            Err(CommandError::invalid(diagnostic.help(help)))
        }
    }
}

struct Export<'e> {
    args: &'e ExportSystemArgs,
    out: &'e Path,
    loaded: &'e Loaded,
    resolved: &'e ResolvedSystem,
    /// Archives that paths lead through.
    nested: &'e RefCell<Nested>,
}

impl Export<'_> {
    fn make(&self, form: Form, files: &mut Files, report: &mut Report) -> Result<(), CommandError> {
        if form != Form::Toml && self.refuse_programs(report) {
            return Ok(());
        }
        match form {
            Form::Toml => {
                let system = self.moved(files)?;
                files.push(self.out.to_owned(), consort_formats::write_system(&system));
                Ok(())
            }
            Form::MultiModel => self.multimodel(files, report),
            Form::Ssp | Form::SspFolder => self.ssp(form, files),
        }
    }

    /// Only our own form can describe components that are programs of their own.
    fn refuse_programs(&self, report: &mut Report) -> bool {
        let components = self.loaded.system.components.iter();
        let programs = components.filter(|it| ModelReference::is_foreign(&it.model.value));
        for program in programs {
            let message = format!(
                "`{}` cannot be exported: its model is a program (`foreign:`)",
                program.name.value
            );
            let diagnostic = Diagnostic::error("export::program", message);
            let diagnostic = diagnostic.maybe_at(program.model.span, "no other tool can start it");
            report.push(diagnostic.help("write the system as `.toml`"));
        }
        report.has_errors()
    }

    /// The system with its paths as they are from where it is written.
    fn moved(&self, files: &mut Files) -> Result<SystemDescription, CommandError> {
        let mut system = self.loaded.system.clone();
        self.name_table(&mut system);
        let folder = self.out.parent().unwrap_or(Path::new(""));
        let moved = Moved::new(&self.loaded.base, folder, self.loaded.is_unpacked, self.nested);
        moved.apply(&mut system, files)?;
        Ok(system)
    }

    fn multimodel(&self, files: &mut Files, report: &mut Report) -> Result<(), CommandError> {
        let mut system = self.moved(files)?;
        let descriptions: Vec<&ModelDescription> =
            self.loaded.descriptions().into_iter().flatten().collect();
        in_own_units(&mut system, self.resolved, &descriptions);
        let written = multimodel::write(&system, &self.loaded.keys, report);
        files.push(self.out.to_owned(), written.model);
        files.push(configuration(self.out), written.configuration);
        Ok(())
    }

    fn ssp(&self, form: Form, files: &mut Files) -> Result<(), CommandError> {
        let mut system = self.loaded.system.clone();
        self.name_table(&mut system);
        let written = ssp::write(&system, &self.loaded.descriptions());
        let source = |resource: &ssp::Resource| {
            moved::real(self.nested, &self.loaded.base.join(&resource.source))
        };
        if form == Form::SspFolder {
            for (path, bytes) in written.files {
                files.push(self.out.join(path), bytes);
            }
            for resource in &written.resources {
                let bytes = resource_bytes(&source(resource)).map_err(|error| failed(&error))?;
                files.push(self.out.join(&resource.path), bytes);
            }
            return Ok(());
        }
        let packed = |it: &ssp::Resource| Packed { source: source(it), path: it.path.clone() };
        let resources: Vec<Packed> = written.resources.iter().map(packed).collect();
        let mut archive = Cursor::new(Vec::new());
        write_archive(&mut archive, &written.files, &resources).map_err(|error| failed(&error))?;
        files.push(self.out.to_owned(), archive.into_inner());
        Ok(())
    }

    /// A table that the command line names is the system's now.
    fn name_table(&self, system: &mut SystemDescription) {
        if let Some(table) = &self.args.experiment.input {
            let path = std::path::absolute(table).unwrap_or_else(|_| table.clone());
            system.experiment.input = Some(Spanned::assumed(path.to_string_lossy().into_owned()));
        }
    }
}

fn failed(error: &PackError) -> CommandError {
    CommandError::failed(Diagnostic::error("cli::pack-failed", plain_words(error)))
}

/// `coe.json` beside `mm.json`, else `NAME.coe.json`.
fn configuration(out: &Path) -> PathBuf {
    let name = out.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(".mm.json").or_else(|| name.strip_suffix(".json"));
    match stem {
        Some(stem) if stem != "mm" => out.with_file_name(format!("{stem}.coe.json")),
        _ => out.with_file_name("coe.json"),
    }
}

/// Values that were written in another unit, in the unit of their variable: the form has no units.
fn in_own_units(
    system: &mut SystemDescription,
    resolved: &ResolvedSystem,
    models: &[&ModelDescription],
) {
    let parts = system.components.iter_mut().zip(&resolved.components).zip(models);
    for ((component, resolved), model) in parts {
        for parameter in component.parameters.iter_mut().filter(|it| it.unit.is_some()) {
            let Some(variable) = model.variable(&parameter.name.value) else { continue };
            let setting = resolved.settings.iter().find(|setting| setting.variable == variable);
            let Some(setting) = setting else { continue };
            let view = setting.values.view();
            let number = |at: usize| view.as_f64(at).map(Literal::Float);
            let numbers: Option<Vec<Literal>> = (0..view.len()).map(number).collect();
            let Some(mut numbers) = numbers else { continue };
            let is_list = matches!(parameter.value.value, Literal::Array(_));
            parameter.value.value = match numbers.pop() {
                Some(last) if !is_list => last,
                last => Literal::Array(numbers.into_iter().chain(last).collect()),
            };
            parameter.unit = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_decides_the_form() {
        let check = |out: &str, form: Form| assert_eq!(form_of(Path::new(out)).unwrap(), form);
        check("a/system.toml", Form::Toml);
        check("a.SSP", Form::Ssp);
        check("a/b", Form::SspFolder);
        check("a.b/", Form::SspFolder);
        check("a.mm.json", Form::MultiModel);
        assert!(form_of(Path::new("a.xml")).is_err());
    }

    #[test]
    fn the_second_file_of_a_multi_model_is_where_it_is_looked_for() {
        for (out, second) in [
            ("a/mm.json", "a/coe.json"),
            ("tank.mm.json", "tank.coe.json"),
            ("tank.json", "tank.coe.json"),
        ] {
            assert_eq!(configuration(Path::new(out)), Path::new(second));
        }
    }
}
