//! The documentation page of an FMU, and its license notes.

use crate::description::variables::name;
use crate::xml::escaped;
use crate::{FmuOptions, TOOL};
use consort_equations::{Equations, ModelPart};
use std::fmt::Write as _;

/// The license of Consort's own C sources.
const MIT: &str = include_str!("../../../LICENSE-MIT");

/// `documentation/index.html`: what the model is, and a table of its variables.
pub(crate) fn page(equations: &Equations, options: &FmuOptions) -> String {
    let title = escaped(options.name_of(equations));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         </head>\n<body>\n<h1>{title}</h1>\n"
    );
    if !equations.description.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escaped(&equations.description));
    }
    let _ = writeln!(page, "<p>Made by {TOOL} for Model Exchange and Co-Simulation.</p>");
    page.push_str(
        "<table>\n<tr><th>variable</th><th>is</th><th>unit</th><th>start</th><th></th></tr>\n",
    );
    let is_own =
        |part: &ModelPart| !matches!(part, ModelPart::Derivative(_) | ModelPart::Indicator(_));
    for part in equations.parts().filter(is_own) {
        page.push_str(&row(equations, part));
    }
    page.push_str("</table>\n</body>\n</html>\n");
    page
}

fn row(equations: &Equations, part: ModelPart) -> String {
    let quantity = equations.quantity(part);
    let unit = quantity.and_then(|it| it.unit.as_ref()).map_or("", |unit| unit.name.as_str());
    let start = quantity.filter(|it| it.is_start_fixed).map(|it| it.start.to_string());
    let description = quantity.map_or("", |it| it.description.as_str());
    let cells = [
        &name(equations, part),
        equations.role(part).causality.name(),
        unit,
        start.as_deref().unwrap_or_default(),
        description,
    ];
    let cells: Vec<String> =
        cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    format!("<tr>{}</tr>\n", cells.concat())
}

/// The content of `documentation/licenses/license.txt`.
pub(crate) fn license() -> String {
    format!(
        "`model.c` is the model: it belongs to whoever owns the equations it was made of.\n\n\
         The `fmi*.h` headers are after the FMI standard of the Modelica Association\n\
         (https://fmi-standard.org), which publishes its own under the 2-Clause BSD license.\n\n\
         All other files in `sources` are parts of Consort, under this license:\n\n{MIT}"
    )
}
