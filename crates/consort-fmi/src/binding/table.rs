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
        let needed = match (self, interface) {
            (Table::V2(table), Interface::CoSimulation) => {
                vec![("fmi2DoStep", table.do_step.is_some())]
            }
            (Table::V3(table), Interface::CoSimulation) => vec![
                ("fmi3InstantiateCoSimulation", table.instantiate_co_simulation.is_some()),
                ("fmi3DoStep", table.do_step.is_some()),
            ],
            (Table::V2(table), Interface::ModelExchange) => exchange_of_fmi2(table),
            (Table::V3(table), Interface::ModelExchange) => exchange_of_fmi3(table),
        };
        match needed.into_iter().find(|(_, is_there)| !is_there) {
            Some((function, _)) => Err(library.lacks(function)),
            None => Ok(()),
        }
    }

    /// A model whose variables cannot be read is of no use: that is an error before anything runs.
    pub(crate) fn check_getters(
        &self,
        library: &LoadedLibrary,
        description: &ModelDescription,
    ) -> Result<(), LoadError> {
        for variable in &description.variables {
            let (function, is_there) = match self {
                Table::V2(table) => getter_of_fmi2(table, variable.value_type),
                Table::V3(table) => getter_of_fmi3(table, variable.value_type),
            };
            if !is_there {
                return Err(library.lacks(function));
            }
        }
        Ok(())
    }
}

fn exchange_of_fmi2(table: &Fmi2) -> Vec<(&'static str, bool)> {
    vec![
        ("fmi2EnterEventMode", table.enter_event_mode.is_some()),
        ("fmi2NewDiscreteStates", table.new_discrete_states.is_some()),
        ("fmi2EnterContinuousTimeMode", table.enter_continuous_time_mode.is_some()),
        ("fmi2CompletedIntegratorStep", table.completed_integrator_step.is_some()),
        ("fmi2SetTime", table.set_time.is_some()),
        ("fmi2SetContinuousStates", table.set_continuous_states.is_some()),
        ("fmi2GetDerivatives", table.get_derivatives.is_some()),
        ("fmi2GetEventIndicators", table.get_event_indicators.is_some()),
        ("fmi2GetContinuousStates", table.get_continuous_states.is_some()),
        ("fmi2GetNominalsOfContinuousStates", table.get_nominals.is_some()),
    ]
}

fn exchange_of_fmi3(table: &Fmi3) -> Vec<(&'static str, bool)> {
    vec![
        ("fmi3InstantiateModelExchange", table.instantiate_model_exchange.is_some()),
        ("fmi3EnterEventMode", table.enter_event_mode.is_some()),
        ("fmi3UpdateDiscreteStates", table.update_discrete_states.is_some()),
        ("fmi3EnterContinuousTimeMode", table.enter_continuous_time_mode.is_some()),
        ("fmi3CompletedIntegratorStep", table.completed_integrator_step.is_some()),
        ("fmi3SetTime", table.set_time.is_some()),
        ("fmi3SetContinuousStates", table.set_continuous_states.is_some()),
        ("fmi3GetContinuousStateDerivatives", table.get_derivatives.is_some()),
        ("fmi3GetEventIndicators", table.get_event_indicators.is_some()),
        ("fmi3GetContinuousStates", table.get_continuous_states.is_some()),
        ("fmi3GetNominalsOfContinuousStates", table.get_nominals.is_some()),
    ]
}

fn getter_of_fmi2(table: &Fmi2, value_type: ValueType) -> (&'static str, bool) {
    match value_type {
        ValueType::Boolean => ("fmi2GetBoolean", table.get_boolean.is_some()),
        ValueType::String => ("fmi2GetString", table.get_string.is_some()),
        ValueType::Float64 => ("fmi2GetReal", table.get_real.is_some()),
        // Integers and enumerations; there are no other types in FMI 2.
        _ => ("fmi2GetInteger", table.get_integer.is_some()),
    }
}

fn getter_of_fmi3(table: &Fmi3, value_type: ValueType) -> (&'static str, bool) {
    match value_type {
        ValueType::Float64 => ("fmi3GetFloat64", table.get_float64.is_some()),
        ValueType::Float32 => ("fmi3GetFloat32", table.get_float32.is_some()),
        ValueType::Int8 => ("fmi3GetInt8", table.get_int8.is_some()),
        ValueType::UInt8 => ("fmi3GetUInt8", table.get_uint8.is_some()),
        ValueType::Int16 => ("fmi3GetInt16", table.get_int16.is_some()),
        ValueType::UInt16 => ("fmi3GetUInt16", table.get_uint16.is_some()),
        ValueType::Int32 => ("fmi3GetInt32", table.get_int32.is_some()),
        ValueType::UInt32 => ("fmi3GetUInt32", table.get_uint32.is_some()),
        ValueType::Int64 | ValueType::Enumeration => ("fmi3GetInt64", table.get_int64.is_some()),
        ValueType::UInt64 => ("fmi3GetUInt64", table.get_uint64.is_some()),
        ValueType::Boolean => ("fmi3GetBoolean", table.get_boolean.is_some()),
        ValueType::String => ("fmi3GetString", table.get_string.is_some()),
        ValueType::Binary => ("fmi3GetBinary", table.get_binary.is_some()),
        ValueType::Clock => ("fmi3GetClock", table.get_clock.is_some()),
    }
}
