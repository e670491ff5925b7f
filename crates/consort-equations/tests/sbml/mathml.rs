//! Writes SBML for the tests: `{{k*S}}` in a template becomes the formula's MathML.

use consort_core::Report;
use consort_equations::tree::{Expression, ExpressionKind, Kind};
use consort_equations::{Builtin, read};

const SYMBOLS: &str = "http://www.sbml.org/sbml/symbols/";

/// A whole document of this level and version.
pub(crate) fn document((level, version): (u32, u32), model: &str) -> String {
    let namespace = match (level, version) {
        (2, 1) => "http://www.sbml.org/sbml/level2".to_owned(),
        (2, _) => format!("http://www.sbml.org/sbml/level2/version{version}"),
        _ => format!("http://www.sbml.org/sbml/level{level}/version{version}/core"),
    };
    format!(
        "<sbml xmlns=\"{namespace}\" level=\"{level}\" version=\"{version}\">\
         <model id=\"m\">{}</model></sbml>",
        formulas(model)
    )
}

/// Replaces every `{{formula}}` by MathML.
pub(crate) fn formulas(text: &str) -> String {
    let mut pieces = text.split("{{");
    let mut result = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (formula, rest) = piece.split_once("}}").expect("a formula ends");
        result += &math(&parse(formula));
        result += rest;
    }
    result
}

fn parse(formula: &str) -> Expression {
    let mut report = Report::default();
    let text = format!("model m\nvariable v = {formula}\nend");
    let mut model = read("formula", &text, &mut report);
    if model.is_none() {
        let text = format!("model m\nwhen {formula} then\nx = 1\nend\nend");
        model = read("formula", &text, &mut Report::default());
    }
    let mut model = model.unwrap_or_else(|| panic!("{formula}: {report:?}"));
    match model.declarations.pop() {
        Some(declaration) if declaration.kind == Kind::Variable => declaration.value,
        _ => model.events.pop().map(|event| event.condition),
    }
    .expect("a formula")
}

fn math(expression: &Expression) -> String {
    let inside = element(expression);
    format!("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">{inside}</math>")
}

fn element(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Number(number) => format!("<cn>{number:e}</cn>"),
        ExpressionKind::Boolean(value) => format!("<{value}/>"),
        ExpressionKind::Time => symbol("time"),
        ExpressionKind::Variable(name) => format!("<ci>{name}</ci>"),
        ExpressionKind::Derivative(name) => apply(&symbol("rateOf"), &format!("<ci>{name}</ci>")),
        ExpressionKind::Pre(name) => panic!("SBML has no pre({name})"),
        ExpressionKind::Builtin(Builtin::Log, arguments) => {
            let (base, of) = (element(&arguments[0]), element(&arguments[1]));
            apply("<log/>", &format!("<logbase>{base}</logbase>{of}"))
        }
        ExpressionKind::Builtin(Builtin::Root, arguments) => {
            let (degree, of) = (element(&arguments[0]), element(&arguments[1]));
            apply("<root/>", &format!("<degree>{degree}</degree>{of}"))
        }
        ExpressionKind::Builtin(builtin, arguments) => {
            apply(&format!("<{}/>", operator(*builtin)), &elements(arguments))
        }
        ExpressionKind::Call(name, arguments) => {
            apply(&format!("<ci>{}</ci>", name.text), &elements(arguments))
        }
        ExpressionKind::If(branches, otherwise) => {
            let piece = |(condition, value): &(Expression, Expression)| {
                format!("<piece>{}{}</piece>", element(value), element(condition))
            };
            let pieces: String = branches.iter().map(piece).collect();
            let otherwise = element(otherwise);
            format!("<piecewise>{pieces}<otherwise>{otherwise}</otherwise></piecewise>")
        }
        ExpressionKind::Delay(value, duration) => {
            apply(&symbol("delay"), &(element(value) + &element(duration)))
        }
    }
}

fn elements(arguments: &[Expression]) -> String {
    arguments.iter().map(element).collect()
}

fn apply(operator: &str, arguments: &str) -> String {
    format!("<apply>{operator}{arguments}</apply>")
}

fn symbol(name: &str) -> String {
    format!("<csymbol encoding=\"text\" definitionURL=\"{SYMBOLS}{name}\">{name}</csymbol>")
}

fn operator(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Add => "plus",
        Builtin::Subtract | Builtin::Negate => "minus",
        Builtin::Multiply => "times",
        Builtin::Divide => "divide",
        Builtin::Power | Builtin::Pow => "power",
        Builtin::Equal => "eq",
        Builtin::NotEqual => "neq",
        Builtin::Less => "lt",
        Builtin::LessEqual => "leq",
        Builtin::Greater => "gt",
        Builtin::GreaterEqual => "geq",
        Builtin::Log10 => "log",
        Builtin::Sqrt => "root",
        Builtin::Ceil => "ceiling",
        Builtin::Asin => "arcsin",
        Builtin::Acos => "arccos",
        Builtin::Atan => "arctan",
        Builtin::Asec => "arcsec",
        Builtin::Acsc => "arccsc",
        Builtin::Acot => "arccot",
        Builtin::Asinh => "arcsinh",
        Builtin::Acosh => "arccosh",
        Builtin::Atanh => "arctanh",
        Builtin::Asech => "arcsech",
        Builtin::Acsch => "arccsch",
        Builtin::Acoth => "arccoth",
        other => other.name(),
    }
}
