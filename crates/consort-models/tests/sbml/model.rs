//! Small models as lines of text, written as SBML of any level and version.
//!
//! ```text
//! compartment C = 2 | compartment C = 2 varying | compartment C without dimensions
//! species A in C = 3 | species A in C amount 6      then any of: only boundary constant factor=f
//! parameter k = 0.5 | variable p = 1 | stoichiometry n = 2 | stoichiometry n = 2 varying | factor f
//! reaction R: A + 2 B -> {1+time} D + @n E : k*A*B with k=1, j=2      or: fast reaction R: ...
//! p := formula | der p = formula | 0 = formula | 0 == formula | initial p = formula
//! function f(x, y) = formula
//! when condition after delay priority p transient fresh late => x = formula; y = formula
//! ```
//!
//! `{...}` is a stoichiometry as a formula, `@n` one with an identifier; `0 ==` stands for a rule that is not
//! linear. `transient` is not persistent, `fresh` has the initial value false, `late` uses the values of
//! its execution.

use crate::constructs::{EDITIONS, Edition, SIGNS, WORDS, is_in};
use crate::mathml;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The order in which a document has its lists.
const LISTS: [&str; 8] = [
    "FunctionDefinitions",
    "Compartments",
    "Species",
    "Parameters",
    "InitialAssignments",
    "Rules",
    "Reactions",
    "Events",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Compartment,
    Species,
    Parameter,
    Stoichiometry,
}

/// Writes one model in one edition, and notes what it uses.
pub(crate) struct Writer {
    edition: Edition,
    lists: BTreeMap<&'static str, String>,
    kinds: BTreeMap<String, Kind>,
    /// Compartments without dimensions.
    points: BTreeSet<String>,
    reactions: BTreeSet<String>,
    /// Attributes of stoichiometries that have identifiers.
    counts: BTreeMap<String, String>,
    factor: Option<String>,
    /// Of events; those that differ only in whether the bound counts come to one instant.
    conditions: BTreeSet<String>,
    pub(crate) constructs: BTreeSet<&'static str>,
    /// What may change, and what libRoadRunner calls it.
    pub(crate) observed: Vec<(String, String)>,
}

/// The editions that have all a model uses.
pub(crate) fn editions(text: &str) -> Vec<Edition> {
    let used = Writer::new(EDITIONS[0], text).constructs;
    EDITIONS
        .into_iter()
        .filter(|edition| used.iter().all(|construct| is_in(construct, *edition)))
        .collect()
}

impl Writer {
    pub(crate) fn new(edition: Edition, text: &str) -> Self {
        let mut writer = Writer {
            edition,
            lists: BTreeMap::new(),
            kinds: BTreeMap::new(),
            points: BTreeSet::new(),
            reactions: BTreeSet::new(),
            counts: BTreeMap::new(),
            factor: None,
            conditions: BTreeSet::new(),
            constructs: BTreeSet::new(),
            observed: Vec::new(),
        };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        // Declarations first, so that rules know what they change.
        let (declared, others): (Vec<_>, Vec<_>) = lines.partition(|line| writer.declare(line));
        assert!(!declared.is_empty(), "nothing is declared:\n{text}");
        for line in &others {
            writer.note_reaction(line);
        }
        others.iter().for_each(|line| writer.statement(line));
        writer
    }

    /// The whole document.
    pub(crate) fn document(&self) -> String {
        let mut model = String::new();
        for list in LISTS {
            if let Some(content) = self.lists.get(list) {
                let _ = write!(model, "<listOf{list}>{content}</listOf{list}>");
            }
        }
        let text = mathml::document(self.edition, &model);
        let avogadro = "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/avogadro\">\
                        N</csymbol>";
        let text = text.replace("<ci>avogadro</ci>", avogadro);
        match &self.factor {
            Some(factor) => {
                text.replace("<model id", &format!("<model conversionFactor='{factor}' id"))
            }
            None => text,
        }
    }

    fn is_level_3(&self) -> bool {
        self.edition.0 == 3
    }

    fn push(&mut self, list: &'static str, text: &str) {
        *self.lists.entry(list).or_default() += text;
    }

    fn uses(&mut self, construct: &'static str) {
        self.constructs.insert(construct);
    }

    fn declare(&mut self, line: &str) -> bool {
        let Some((word, rest)) = line.split_once(' ') else { return false };
        match word {
            "compartment" => self.compartment(rest),
            "species" => self.species(rest),
            "parameter" => self.parameter(rest, true),
            "variable" => self.parameter(rest, false),
            "stoichiometry" => self.stoichiometry(rest),
            "factor" => {
                self.uses("model: conversion factor");
                self.factor = Some(rest.to_owned());
            }
            _ => return false,
        }
        true
    }

    fn compartment(&mut self, text: &str) {
        let (id, rest) = text.split_once(' ').expect("a name and a size");
        self.kinds.insert(id.to_owned(), Kind::Compartment);
        if rest == "without dimensions" {
            self.uses("compartment: without dimensions");
            self.points.insert(id.to_owned());
            let text = format!("<compartment id='{id}' spatialDimensions='0' constant='true'/>");
            return self.push("Compartments", &text);
        }
        let rest = rest.strip_prefix("= ").expect("a size");
        let (size, constant) = match rest.strip_suffix(" varying") {
            Some(size) => (size, false),
            None => (rest, true),
        };
        if constant {
            self.uses("compartment: constant");
        } else {
            self.observed.push((id.to_owned(), id.to_owned()));
        }
        let text = format!(
            "<compartment id='{id}' spatialDimensions='3' size='{size}' constant='{constant}'/>"
        );
        self.push("Compartments", &text);
    }

    fn species(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [id, "in", place, how, value, flags @ ..] = &words[..] else { panic!("{text}") };
        let initial = if *how == "amount" { "initialAmount" } else { "initialConcentration" };
        self.uses(match initial {
            "initialAmount" => "species: initial amount",
            _ => "species: initial concentration",
        });
        let has = |flag: &str| flags.contains(&flag);
        let (only, boundary, constant) = (has("only"), has("boundary"), has("constant"));
        for (is_set, construct) in [
            (only, "species: only substance units"),
            (boundary, "species: boundary condition"),
            (constant, "species: constant"),
        ] {
            self.constructs.extend(is_set.then_some(construct));
        }
        let factor = flags.iter().find_map(|flag| flag.strip_prefix("factor="));
        let factor = factor.map(|factor| {
            self.uses("species: conversion factor");
            format!(" conversionFactor='{factor}'")
        });
        let text = format!(
            "<species id='{id}' compartment='{place}' {initial}='{value}' \
             hasOnlySubstanceUnits='{only}' boundaryCondition='{boundary}' constant='{constant}'{}/>",
            factor.unwrap_or_default()
        );
        self.push("Species", &text);
        self.kinds.insert((*id).to_owned(), Kind::Species);
        let is_amount = only || self.points.contains(*place);
        let peer = if is_amount { (*id).to_owned() } else { format!("[{id}]") };
        self.observed.push(((*id).to_owned(), peer));
    }

    fn parameter(&mut self, text: &str, constant: bool) {
        self.uses("parameter");
        let (id, value) = text.split_once(" = ").unwrap_or((text, ""));
        self.kinds.insert(id.to_owned(), Kind::Parameter);
        let value = if value.is_empty() { String::new() } else { format!(" value='{value}'") };
        self.push("Parameters", &format!("<parameter id='{id}'{value} constant='{constant}'/>"));
        if !constant {
            self.observed.push((id.to_owned(), id.to_owned()));
        }
    }

    fn stoichiometry(&mut self, text: &str) {
        self.uses("stoichiometry: identifier");
        let (id, value) = text.split_once(" = ").expect("a value");
        let (value, constant) = match value.strip_suffix(" varying") {
            Some(value) => (value, false),
            None => (value, true),
        };
        self.kinds.insert(id.to_owned(), Kind::Stoichiometry);
        let attributes = format!("id='{id}' stoichiometry='{value}' constant='{constant}'");
        self.counts.insert(id.to_owned(), attributes);
    }

    fn note_reaction(&mut self, line: &str) {
        let line = line.strip_prefix("fast ").unwrap_or(line);
        if let Some(rest) = line.strip_prefix("reaction ") {
            let (id, _) = rest.split_once(':').expect("a name");
            self.reactions.insert(id.to_owned());
        }
    }

    fn statement(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("reaction ") {
            self.reaction(rest, false);
        } else if let Some(rest) = line.strip_prefix("fast reaction ") {
            self.uses("reaction: fast");
            self.reaction(rest, true);
        } else if let Some(rest) = line.strip_prefix("when ") {
            self.event(rest);
        } else if let Some(rest) = line.strip_prefix("function ") {
            self.function(rest);
        } else if let Some(rest) = line.strip_prefix("initial ") {
            self.initial(rest);
        } else {
            self.rule(line);
        }
    }

    /// A formula's place in the template, with what it uses noted.
    fn formula(&mut self, text: &str) -> String {
        let words = |text: &'static str| text;
        let mut word = String::new();
        for character in text.chars().chain([' ']) {
            if character.is_ascii_alphanumeric() || character == '_' {
                word.push(character);
                continue;
            }
            for (construct, known) in WORDS {
                if known.contains(&word.as_str()) && !self.kinds.contains_key(&word) {
                    self.uses(words(construct));
                }
            }
            if self.reactions.contains(&word) {
                self.uses("reaction: its rate in formulas");
            }
            for (construct, signs) in SIGNS {
                if signs.contains(&character) {
                    self.uses(words(construct));
                }
            }
            word.clear();
        }
        format!("{{{{{text}}}}}")
    }

    fn function(&mut self, text: &str) {
        self.uses("function definition");
        let (head, body) = text.split_once(" = ").expect("a value");
        let (id, arguments) = head.trim_end_matches(')').split_once('(').expect("arguments");
        let body = mathml::formulas(&self.formula(body));
        let (open, body) = body.split_at(body.find('>').expect("a math element") + 1);
        let body = body.strip_suffix("</math>").expect("a math element");
        let bound: String = arguments
            .split(", ")
            .map(|argument| format!("<bvar><ci>{argument}</ci></bvar>"))
            .collect();
        let text = format!(
            "<functionDefinition id='{id}'>{open}<lambda>{bound}{body}</lambda></math></functionDefinition>"
        );
        self.push("FunctionDefinitions", &text);
    }

    fn initial(&mut self, text: &str) {
        let (id, value) = text.split_once(" = ").expect("a value");
        self.uses("initial assignment");
        match self.kinds.get(id) {
            Some(Kind::Species) => self.uses("initial assignment for a species"),
            Some(Kind::Compartment) => self.uses("initial assignment for a compartment"),
            _ => {}
        }
        let value = self.formula(value);
        let text = format!("<initialAssignment symbol='{id}'>{value}</initialAssignment>");
        self.push("InitialAssignments", &text);
    }

    fn rule(&mut self, line: &str) {
        if let Some(residual) = line.strip_prefix("0 = ") {
            self.uses("algebraic rule, linear");
            let residual = self.formula(residual);
            return self.push("Rules", &format!("<algebraicRule>{residual}</algebraicRule>"));
        }
        if let Some(residual) = line.strip_prefix("0 == ") {
            if !self.constructs.insert("algebraic rule, not linear") {
                self.uses("algebraic rules, solved together");
            }
            let residual = self.formula(residual);
            return self.push("Rules", &format!("<algebraicRule>{residual}</algebraicRule>"));
        }
        let (id, value, name) = match line.strip_prefix("der ") {
            Some(rest) => {
                let (id, value) = rest.split_once(" = ").expect("a value");
                (id, value, "rateRule")
            }
            None => {
                let (id, value) = line.split_once(" := ").unwrap_or_else(|| panic!("{line}"));
                (id, value, "assignmentRule")
            }
        };
        let kind = self.kinds.get(id).copied().unwrap_or_else(|| panic!("no {id}"));
        self.uses(match (name, kind) {
            (_, Kind::Compartment) => "compartment: changed by a rule",
            (_, Kind::Stoichiometry) => "stoichiometry: changed by a rule",
            ("rateRule", Kind::Species) => "rate rule for a species",
            ("rateRule", _) => "rate rule",
            (_, Kind::Species) => "assignment rule for a species",
            _ => "assignment rule",
        });
        let value = self.formula(value);
        self.push("Rules", &format!("<{name} variable='{id}'>{value}</{name}>"));
    }

    fn reaction(&mut self, text: &str, fast: bool) {
        self.uses("reaction");
        let (id, rest) = text.split_once(": ").expect("a name");
        let (sides, law) = rest.split_once(" : ").expect("a law");
        let (from, to) = sides.split_once("->").expect("an arrow");
        let (law, locals) = law.split_once(" with ").unwrap_or((law, ""));
        let from = self.side("Reactants", from);
        let to = self.side("Products", to);
        let modifiers = self.modifiers(sides, law);
        let formula = self.formula(law);
        let locals = self.locals(locals);
        let fast = if self.edition == (3, 2) { String::new() } else { format!(" fast='{fast}'") };
        let text = format!(
            "<reaction id='{id}' reversible='false'{fast}>{from}{to}{modifiers}\
             <kineticLaw>{formula}{locals}</kineticLaw></reaction>"
        );
        self.push("Reactions", &text);
    }

    /// Species that a law speaks of and that are on neither side.
    fn modifiers(&mut self, sides: &str, law: &str) -> String {
        let separate = |character: char| !(character.is_ascii_alphanumeric() || character == '_');
        let named: BTreeSet<&str> = law.split(separate).collect();
        let on_sides: BTreeSet<&str> = sides.split(separate).collect();
        let is_species = |name: &&&str| self.kinds.get(**name) == Some(&Kind::Species);
        let modifiers: String = named
            .difference(&on_sides)
            .filter(is_species)
            .map(|name| format!("<modifierSpeciesReference species='{name}'/>"))
            .collect();
        if modifiers.is_empty() {
            return modifiers;
        }
        self.uses("reaction: modifier");
        format!("<listOfModifiers>{modifiers}</listOfModifiers>")
    }

    fn locals(&mut self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        self.uses("local parameter");
        let (list, item) = match self.is_level_3() {
            true => ("listOfLocalParameters", "localParameter"),
            false => ("listOfParameters", "parameter"),
        };
        let one = |pair: &str| {
            let (id, value) = pair.split_once('=').expect("a value");
            format!("<{item} id='{id}' value='{value}'/>")
        };
        let inside: String = text.split(", ").map(one).collect();
        format!("<{list}>{inside}</{list}>")
    }

    fn side(&mut self, list: &str, text: &str) -> String {
        let mut references = String::new();
        for term in text.split(" + ").map(str::trim).filter(|term| !term.is_empty()) {
            references += &self.reference(term);
        }
        match references.as_str() {
            "" => String::new(),
            _ => format!("<listOf{list}>{references}</listOf{list}>"),
        }
    }

    fn reference(&mut self, term: &str) -> String {
        if let Some((formula, species)) =
            term.strip_prefix('{').and_then(|term| term.split_once("} "))
        {
            self.uses("stoichiometry: formula");
            let formula = self.formula(formula);
            return format!(
                "<speciesReference species='{species}'><stoichiometryMath>{formula}\
                 </stoichiometryMath></speciesReference>"
            );
        }
        if let Some((id, species)) = term.strip_prefix('@').and_then(|term| term.split_once(' ')) {
            let attributes = &self.counts[id];
            return format!("<speciesReference species='{species}' {attributes}/>");
        }
        let (count, species) = term.split_once(' ').unwrap_or(("1", term));
        if count != "1" {
            self.uses("stoichiometry: number");
        }
        let constant = if self.is_level_3() { " constant='true'" } else { "" };
        format!("<speciesReference species='{species}' stoichiometry='{count}'{constant}/>")
    }

    fn event(&mut self, text: &str) {
        let (head, assignments) = text.split_once(" => ").expect("assignments");
        self.uses("event");
        let mut head = head.to_owned();
        let mut flag = |word: &str| {
            let found = head.strip_suffix(word).map(str::to_owned);
            found.map(|rest| head = rest).is_some()
        };
        let (late, fresh, transient) = (flag(" late"), flag(" fresh"), flag(" transient"));
        let (head, priority) = split_last(&head, " priority ");
        let (condition, delay) = split_last(&head, " after ");
        let parts = [
            (late, "event: values of its execution"),
            (fresh, "event: initialValue false"),
            (transient, "event: not persistent"),
            (priority.is_some(), "event: priority"),
            (delay.is_some(), "event: delay"),
            (assignments.contains(';'), "event: several assignments"),
        ];
        for (is_set, construct) in parts {
            self.constructs.extend(is_set.then_some(construct));
        }
        let mut part = |name: &str, text: Option<String>| match text {
            Some(text) => format!("<{name}>{}</{name}>", self.formula(&text)),
            None => String::new(),
        };
        let (delay, priority) = (part("delay", delay), part("priority", priority));
        if !self.conditions.insert(condition.replace(">=", ">")) {
            self.uses("several events at one instant");
        }
        let condition = self.formula(&condition);
        let trigger = match self.is_level_3() {
            true => format!("<trigger persistent='{}' initialValue='{}'>", !transient, !fresh),
            false => "<trigger>".to_owned(),
        };
        let values = match (2, 4) <= self.edition {
            true => format!(" useValuesFromTriggerTime='{}'", !late),
            false => String::new(),
        };
        let assignments: String =
            assignments.split("; ").map(|assignment| self.event_assignment(assignment)).collect();
        // Level 3 has the priority before the delay in its scheme, and reads them in any order.
        let text = format!(
            "<event{values}>{trigger}{condition}</trigger>{priority}{delay}\
             <listOfEventAssignments>{assignments}</listOfEventAssignments></event>"
        );
        self.push("Events", &text);
    }

    fn event_assignment(&mut self, text: &str) -> String {
        let (id, value) = text.split_once(" = ").expect("a value");
        match self.kinds.get(id).unwrap_or_else(|| panic!("no {id}")) {
            Kind::Species => self.uses("event: sets a species"),
            Kind::Compartment => self.uses("compartment: changed by an event"),
            Kind::Stoichiometry => self.uses("stoichiometry: changed by an event"),
            Kind::Parameter => {}
        }
        let value = self.formula(value);
        format!("<eventAssignment variable='{id}'>{value}</eventAssignment>")
    }
}

fn split_last(text: &str, word: &str) -> (String, Option<String>) {
    match text.rsplit_once(word) {
        Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
        None => (text.to_owned(), None),
    }
}
