//! No file of source that no module includes: it would not be compiled.

use std::fs;
use std::path::Path;

/// Says so if the file of a module is not declared by its parent.
pub(super) fn violation(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let name = path.file_stem()?.to_str()?;
    if ["lib", "main", "build"].contains(&name)
        || !path.components().any(|it| it.as_os_str() == "src")
    {
        return None;
    }
    let declaration = format!("mod {name};");
    let parents = [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")];
    let is_declared = |parent: &Path| {
        fs::read_to_string(parent)
            .is_ok_and(|text| text.lines().any(|line| line.ends_with(&declaration)))
    };
    let is_orphan = !parents.iter().any(|parent| is_declared(parent));
    is_orphan.then(|| format!("{}: no module includes this file", super::relative(path)))
}

#[cfg(test)]
mod tests {
    use super::violation;
    use crate::ci::root;

    #[test]
    fn a_file_that_no_module_includes_is_found() {
        let tidy = root().join("xtask/src/tidy");
        assert_eq!(violation(&tidy.join("orphans.rs")), None);
        let found = violation(&tidy.join("left_over.rs")).unwrap_or_default();
        assert_eq!(found, "xtask/src/tidy/left_over.rs: no module includes this file");
    }
}
