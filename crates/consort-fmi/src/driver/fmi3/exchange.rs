//! The functions of FMI 3.0 for Model Exchange.

use super::Fmi3Calls;
use crate::driver::calls::{Asked, ExchangeCalls, Reply, ask_optional, exchange};
use consort_core::{CallError, CompletedStep, Sizes};

impl ExchangeCalls for Fmi3Calls {
    exchange!(
        time: "fmi3SetTime",
        set_states: "fmi3SetContinuousStates",
        states: "fmi3GetContinuousStates",
        derivatives: "fmi3GetContinuousStateDerivatives",
        indicators: "fmi3GetEventIndicators",
        nominals: "fmi3GetNominalsOfContinuousStates",
        continuous: "fmi3EnterContinuousTimeMode"
    );

    fn completed_step(&mut self, may_go_back: bool, completed: &mut CompletedStep) -> Asked {
        let (mut event, mut terminate) = (0u8, 0u8);
        let reply = ask_optional!(
            self,
            "fmi3CompletedIntegratorStep",
            completed_integrator_step,
            !may_go_back,
            &raw mut event,
            &raw mut terminate
        )?;
        *completed = CompletedStep { enter_event_mode: event != 0, terminate: terminate != 0 };
        Ok(reply)
    }

    fn sizes(&mut self, sizes: &mut Sizes) -> Asked {
        let states = ask_optional!(
            self,
            "fmi3GetNumberOfContinuousStates",
            get_number_of_continuous_states,
            &raw mut sizes.states
        )?;
        if !states.status.is_success() {
            return Ok(states);
        }
        ask_optional!(
            self,
            "fmi3GetNumberOfEventIndicators",
            get_number_of_event_indicators,
            &raw mut sizes.indicators
        )
    }
}
