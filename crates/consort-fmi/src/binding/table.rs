//! The function table of whichever version an FMU follows.

use super::Interface;
use super::fmi2::Fmi2;
use super::fmi3::Fmi3;
use super::library::LoadedLibrary;
use crate::description::FmiVersion;
use crate::load::LoadError;
use consort_core::{ModelDescription, ValueType};
use std::sync::Arc;

/// The functions of a loaded FMU, shared by its instances.
pub(crate) enum Table {
    V2(Arc<Fmi2>),
    V3(Arc<Fmi3>),
}

impl Table {
    /// Looks the functions up.
    pub(crate) fn load(library: &LoadedLibrary, version: FmiVersion) -> Result<Self, LoadError> {
        Ok(match version {
            FmiVersion::V2 => Table::V2(Arc::new(Fmi2::load(library)?)),
            FmiVersion::V3 => Table::V3(Arc::new(Fmi3::load(library)?)),
        })
    }

    /// The functions an interface cannot do without.
    ///
    /// # Errors
    /// Names the first one that the library lacks.
    pub(crate) fn check_interface(
        &self,
        library: &LoadedLibrary,
        interface: Interface,
    ) -> Result<(), LoadError> {
        let needed: &[&'static str] = match (self, interface) {
            (Table::V2(_), Interface::CoSimulation) => &["fmi2DoStep"],
            (Table::V3(_), Interface::CoSimulation) => {
                &["fmi3InstantiateCoSimulation", "fmi3DoStep"]
            }
            (Table::V2(_), Interface::ModelExchange) => &EXCHANGE_OF_FMI_2,
            (Table::V3(_), Interface::ModelExchange) => &EXCHANGE_OF_FMI_3,
        };
        needed.iter().try_for_each(|function| self.check(library, function))
    }

    fn check(&self, library: &LoadedLibrary, function: &'static str) -> Result<(), LoadError> {
        let is_there = match self {
            Table::V2(table) => table.has(function),
            Table::V3(table) => table.has(function),
        };
        if is_there { Ok(()) } else { Err(library.lacks(function)) }
    }

    /// A model whose variables cannot be read is of no use: that is an error before anything runs.
    pub(crate) fn check_getters(
        &self,
        library: &LoadedLibrary,
        description: &ModelDescription,
    ) -> Result<(), LoadError> {
        for variable in &description.variables {
            let getter = match self {
                Table::V2(_) => getter_of_fmi2(variable.value_type),
                Table::V3(_) => getter_of_fmi3(variable.value_type),
            };
            self.check(library, getter)?;
        }
        Ok(())
    }
}

const EXCHANGE_OF_FMI_2: [&str; 10] = [
    "fmi2EnterEventMode",
    "fmi2NewDiscreteStates",
    "fmi2EnterContinuousTimeMode",
    "fmi2CompletedIntegratorStep",
    "fmi2SetTime",
    "fmi2SetContinuousStates",
    "fmi2GetDerivatives",
    "fmi2GetEventIndicators",
    "fmi2GetContinuousStates",
    "fmi2GetNominalsOfContinuousStates",
];

const EXCHANGE_OF_FMI_3: [&str; 11] = [
    "fmi3InstantiateModelExchange",
    "fmi3EnterEventMode",
    "fmi3UpdateDiscreteStates",
    "fmi3EnterContinuousTimeMode",
    "fmi3CompletedIntegratorStep",
    "fmi3SetTime",
    "fmi3SetContinuousStates",
    "fmi3GetContinuousStateDerivatives",
    "fmi3GetEventIndicators",
    "fmi3GetContinuousStates",
    "fmi3GetNominalsOfContinuousStates",
];

fn getter_of_fmi2(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Boolean => "fmi2GetBoolean",
        ValueType::String => "fmi2GetString",
        ValueType::Float64 => "fmi2GetReal",
        // Integers and enumerations; there are no other types in FMI 2.
        _ => "fmi2GetInteger",
    }
}

fn getter_of_fmi3(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Float64 => "fmi3GetFloat64",
        ValueType::Float32 => "fmi3GetFloat32",
        ValueType::Int8 => "fmi3GetInt8",
        ValueType::UInt8 => "fmi3GetUInt8",
        ValueType::Int16 => "fmi3GetInt16",
        ValueType::UInt16 => "fmi3GetUInt16",
        ValueType::Int32 => "fmi3GetInt32",
        ValueType::UInt32 => "fmi3GetUInt32",
        ValueType::Int64 | ValueType::Enumeration => "fmi3GetInt64",
        ValueType::UInt64 => "fmi3GetUInt64",
        ValueType::Boolean => "fmi3GetBoolean",
        ValueType::String => "fmi3GetString",
        ValueType::Binary => "fmi3GetBinary",
        ValueType::Clock => "fmi3GetClock",
    }
}
