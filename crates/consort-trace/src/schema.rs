//! What a trace records: its columns, and where each stands in a row.

use crate::error::TraceError;
use consort_core::{Resolution, ValueType, Variability};
use std::collections::BTreeSet;

/// The most elements a row may have: beyond it a file's schema is taken to be damaged.
pub const ELEMENTS_MAX: usize = 1 << 24;

/// One recorded variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    path: String,
    component_length: usize,
    /// The type of its elements.
    pub value_type: ValueType,
    /// Empty for a scalar, else the extents, outermost first; elements are in row-major order.
    pub dimensions: Vec<u32>,
    /// The unit its values are in, as the model writes it.
    pub unit: Option<String>,
    /// When its value may change; decides whether a plot draws lines or stairs.
    pub variability: Variability,
    /// What the model's author says about it.
    pub description: String,
    /// The names of an enumeration's values; empty for other types.
    pub enumeration: Vec<(String, i64)>,
}

impl Column {
    /// A scalar that is `variable` of `component`, to be adjusted field by field. An empty
    /// `component` stands for a trace of one model, whose paths are the variables' names.
    pub fn new(component: &str, variable: &str, value_type: ValueType) -> Self {
        let path = match component {
            "" => variable.to_owned(),
            component => format!("{component}.{variable}"),
        };
        let continuous = value_type.is_float();
        Column {
            path,
            component_length: component.len(),
            value_type,
            dimensions: Vec::new(),
            unit: None,
            variability: if continuous { Variability::Continuous } else { Variability::Discrete },
            description: String::new(),
            enumeration: Vec::new(),
        }
    }

    /// The same variable as an array of these extents, outermost first.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: &[u32]) -> Self {
        self.dimensions = dimensions.to_vec();
        self
    }

    /// The same variable by another name.
    pub(crate) fn with_path(mut self, path: &str) -> Self {
        (self.path, self.component_length) = (path.to_owned(), 0);
        self
    }

    /// The same variable with values in this unit.
    #[must_use]
    pub fn with_unit(mut self, unit: &str) -> Self {
        self.unit = Some(unit.to_owned());
        self
    }

    /// `component.variable`: what names the column everywhere.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The component, empty in a trace of one model.
    pub fn component(&self) -> &str {
        &self.path[..self.component_length]
    }

    /// The variable's name in its component.
    pub fn variable(&self) -> &str {
        match self.component_length {
            0 => &self.path,
            length => &self.path[length + 1..],
        }
    }

    /// How many elements a value has: 1 for a scalar.
    pub fn element_count(&self) -> usize {
        self.dimensions.iter().fold(1, |count, &extent| count.saturating_mul(extent as usize))
    }

    /// The name of one element: the path, and for arrays the indices from 1 on in brackets
    /// (`tank.level[2,1]`), as FMPy names the columns of its results.
    pub fn element_name(&self, element: usize) -> String {
        if self.dimensions.is_empty() {
            return self.path.clone();
        }
        let mut rest = element;
        let mut indices: Vec<String> = Vec::with_capacity(self.dimensions.len());
        for &extent in self.dimensions.iter().rev() {
            indices.push((rest % extent as usize + 1).to_string());
            rest /= extent as usize;
        }
        indices.reverse();
        format!("{}[{}]", self.path, indices.join(","))
    }
}

/// Where a column's elements stand in the bank of its type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Place {
    pub(crate) offset: usize,
    pub(crate) count: usize,
}

/// The columns of a trace, in order, and the resolution of its tags.
///
/// A row is kept as one *bank* per value type: the elements of all columns of that type, in the
/// order of the columns unless [`Schema::with_row_order`] says otherwise.
#[derive(Clone, PartialEq, Debug)]
pub struct Schema {
    resolution: Resolution,
    columns: Vec<Column>,
    places: Vec<Place>,
    widths: [usize; ValueType::ALL.len()],
    /// What chunks state beside their rows.
    mark: Vec<Column>,
}

impl Schema {
    /// A schema of these columns.
    ///
    /// # Errors
    /// If two columns, or elements of them, have one name, or there are more than
    /// [`ELEMENTS_MAX`] elements.
    pub fn new(resolution: Resolution, columns: Vec<Column>) -> Result<Self, TraceError> {
        let mut places = Vec::with_capacity(columns.len());
        let mut widths = [0; ValueType::ALL.len()];
        let mut total = 0_usize;
        for column in &columns {
            let count = column.element_count();
            total = total.saturating_add(count);
            if ELEMENTS_MAX < total {
                let limit = ELEMENTS_MAX as u64;
                return Err(TraceError::TooLarge { what: "elements in a row", limit });
            }
            let width = &mut widths[column.value_type as usize];
            places.push(Place { offset: *width, count });
            *width += count;
        }
        let mark = Vec::new();
        let schema = Schema { resolution, columns, places, widths, mark };
        schema.check_names()?;
        Ok(schema)
    }

    /// The same columns, with the elements of a row kept in another order: `order` lists the columns
    /// as their values lie in the recorder's memory, so that neighbors are copied at once.
    ///
    /// # Panics
    /// If `order` does not list every column once.
    #[must_use]
    pub fn with_row_order(mut self, order: &[usize]) -> Self {
        assert_eq!(order.len(), self.columns.len(), "every column has its place");
        let mut widths = [0; ValueType::ALL.len()];
        let mut places: Vec<Option<Place>> = vec![None; order.len()];
        for &index in order {
            let count = self.places[index].count;
            let width = &mut widths[self.columns[index].value_type as usize];
            let place = places[index].replace(Place { offset: *width, count });
            assert!(place.is_none(), "no column has two places");
            *width += count;
        }
        self.places = places.into_iter().flatten().collect();
        self
    }

    /// The same columns; chunks state beside their rows where the run stands ([`crate::progress_mark`]), in
    /// the order of these columns, each of which is one `UInt64`.
    #[must_use]
    pub fn with_marks(mut self, mark: Vec<Column>) -> Self {
        self.mark = mark;
        self
    }

    /// What chunks state beside their rows; nothing in most traces.
    pub fn mark_columns(&self) -> &[Column] {
        &self.mark
    }

    fn check_names(&self) -> Result<(), TraceError> {
        let mut names = BTreeSet::new();
        for (column, element) in self.elements() {
            let name = self.columns[column].element_name(element);
            if names.contains(&name) {
                return Err(TraceError::DuplicateColumn { name });
            }
            names.insert(name);
        }
        Ok(())
    }

    /// The length of a tick of the trace's tags.
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The index of the column with this path.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.path == path)
    }

    /// Every element of every column as (column, element), in the order of a file's columns.
    pub fn elements(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let places = self.places.iter().enumerate();
        places.flat_map(|(column, place)| (0..place.count).map(move |element| (column, element)))
    }

    /// How many elements of `value_type` a row has.
    pub fn width(&self, value_type: ValueType) -> usize {
        self.widths[value_type as usize]
    }

    pub(crate) fn place(&self, column: usize) -> Place {
        self.places[column]
    }

    /// About how many bytes a row takes in memory.
    pub(crate) fn row_bytes(&self) -> usize {
        let tag = size_of::<consort_core::Tag>();
        ValueType::ALL.iter().fold(tag, |bytes, &value_type| {
            bytes + self.width(value_type) * element_bytes(value_type)
        })
    }
}

fn element_bytes(value_type: ValueType) -> usize {
    match value_type {
        ValueType::Boolean | ValueType::Clock | ValueType::Int8 | ValueType::UInt8 => 1,
        ValueType::Int16 | ValueType::UInt16 => 2,
        ValueType::Int32 | ValueType::UInt32 | ValueType::Float32 => 4,
        ValueType::String | ValueType::Binary => 32,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(path: &str, dimensions: &[u32]) -> Column {
        Column::new("plant", path, ValueType::Float64).with_dimensions(dimensions)
    }

    #[test]
    fn elements_are_named_as_fmpy_names_them() {
        let matrix = array("m", &[2, 3]);
        let names: Vec<String> = (0..6).map(|element| matrix.element_name(element)).collect();
        let expected = ["[1,1]", "[1,2]", "[1,3]", "[2,1]", "[2,2]", "[2,3]"]
            .map(|end| format!("plant.m{end}"));
        assert_eq!(names, expected);
        assert_eq!(array("x", &[]).element_name(0), "plant.x");
    }

    #[test]
    fn rows_may_be_kept_in_another_order_than_columns_are_shown() {
        let columns = vec![array("x", &[2]), array("y", &[]), array("z", &[])];
        let schema = Schema::new(Resolution::NANOSECOND, columns).unwrap();
        let schema = schema.with_row_order(&[1, 2, 0]);
        let offsets: Vec<usize> = (0..3).map(|column| schema.place(column).offset).collect();
        assert_eq!(offsets, [2, 0, 1]);
        assert_eq!(schema.position("plant.x"), Some(0));
    }

    #[test]
    fn a_path_is_split_where_it_was_joined() {
        let column = Column::new("a.b", "c.d", ValueType::Float64);
        assert_eq!((column.component(), column.variable()), ("a.b", "c.d"));
        assert_eq!(Column::new("", "h", ValueType::Float64).variable(), "h");
    }

    #[test]
    fn two_elements_of_one_name_are_refused() {
        let columns = vec![array("x", &[2]), array("x[2]", &[])];
        let error = Schema::new(Resolution::NANOSECOND, columns).unwrap_err();
        assert_eq!(error.to_string(), "two columns are named `plant.x[2]`");
    }

    #[test]
    fn a_row_without_end_is_refused() {
        let columns = vec![array("x", &[u32::MAX, u32::MAX, u32::MAX])];
        let error = Schema::new(Resolution::NANOSECOND, columns).unwrap_err();
        assert!(matches!(error, TraceError::TooLarge { .. }));
    }
}
