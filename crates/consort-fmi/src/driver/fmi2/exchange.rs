//! The functions of FMI 2.0 for Model Exchange.

use super::Fmi2Calls;
use crate::driver::calls::{Asked, ExchangeCalls, Reply, ask_optional, exchange};
use consort_core::{CallError, CompletedStep, Sizes};
use std::ffi::c_int;

impl ExchangeCalls for Fmi2Calls {
    exchange!(
        time: "fmi2SetTime",
        set_states: "fmi2SetContinuousStates",
        states: "fmi2GetContinuousStates",
        derivatives: "fmi2GetDerivatives",
        indicators: "fmi2GetEventIndicators",
        nominals: "fmi2GetNominalsOfContinuousStates",
        continuous: "fmi2EnterContinuousTimeMode"
    );

    fn completed_step(&mut self, may_go_back: bool, completed: &mut CompletedStep) -> Asked {
        let (mut event, mut terminate) = (0, 0);
        let reply = ask_optional!(
            self,
            "fmi2CompletedIntegratorStep",
            completed_integrator_step,
            c_int::from(!may_go_back),
            &raw mut event,
            &raw mut terminate
        )?;
        *completed = CompletedStep { enter_event_mode: event != 0, terminate: terminate != 0 };
        Ok(reply)
    }

    fn sizes(&mut self, _sizes: &mut Sizes) -> Asked {
        Err(CallError::unsupported("get the number of states"))
    }
}
