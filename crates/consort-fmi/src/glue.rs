//! The functions of the standard for models written in C against `consort_model.h`.
//!
//! An FMU whose sources list `consort_fmi2.c` or `consort_fmi3.c` need not bring that file along.

use crate::headers::Header as File;

const SHARED: [File; 2] = [
    ("consort_instance.h", include_str!("../glue/consort_instance.h")),
    ("consort_model.h", include_str!("../glue/consort_model.h")),
];

const FMI2: File = ("consort_fmi2.c", include_str!("../glue/consort_fmi2.c"));
const FMI3: File = ("consort_fmi3.c", include_str!("../glue/consort_fmi3.c"));

/// The files that belong to these listed source files; none if no listed file is one of ours.
pub fn needed<'l>(listed: impl IntoIterator<Item = &'l str>) -> Vec<File> {
    let listed: Vec<&str> = listed.into_iter().collect();
    let mut files: Vec<File> = [FMI2, FMI3].into();
    files.retain(|(name, _)| listed.contains(name));
    if !files.is_empty() {
        files.extend(SHARED);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_with_what_they_include() {
        let names = |listed: &[&'static str]| -> Vec<&str> {
            needed(listed.iter().copied()).iter().map(|(name, _)| *name).collect()
        };
        assert_eq!(names(&["tank.c", "fmi2.c"]), [""; 0]);
        let shared = ["consort_instance.h", "consort_model.h"];
        assert_eq!(
            names(&["tank.c", "consort_fmi2.c"]),
            [&["consort_fmi2.c"], &shared[..]].concat()
        );
        assert_eq!(names(&["consort_fmi3.c"]), [&["consort_fmi3.c"], &shared[..]].concat());
    }
}
