//! The defaults of the standard: FMI 2.0.4 section 2.2.7, FMI 3.0.1
//! section 2.4.7.5.

use super::FmiVersion;
use consort_core::{Causality, Initial, ValueType, Variability};

/// Whether the standard allows the pair.
pub(super) fn is_legal(causality: Causality, variability: Variability) -> bool {
    use Causality::{
        CalculatedParameter, Independent, Input, Local, Output, Parameter, StructuralParameter,
    };
    match variability {
        Variability::Constant => matches!(causality, Output | Local),
        Variability::Fixed | Variability::Tunable => {
            matches!(causality, Parameter | CalculatedParameter | StructuralParameter | Local)
        }
        Variability::Discrete => matches!(causality, Input | Output | Local),
        Variability::Continuous => matches!(causality, Input | Output | Local | Independent),
    }
}

/// `initial` of a variable that declares none. The standard's table, with a sensible answer for
/// the pairs it forbids as well.
pub(super) fn initial(causality: Causality, variability: Variability) -> Initial {
    match causality {
        Causality::Parameter | Causality::StructuralParameter => Initial::Exact,
        Causality::CalculatedParameter => Initial::Calculated,
        Causality::Input | Causality::Independent => Initial::None,
        Causality::Output | Causality::Local if variability == Variability::Constant => {
            Initial::Exact
        }
        Causality::Output | Causality::Local => Initial::Calculated,
    }
}

/// Whether the standard allows a variable to declare this `initial`.
pub(super) fn allows(
    causality: Causality,
    variability: Variability,
    initial: Initial,
    version: FmiVersion,
) -> bool {
    let default = self::initial(causality, variability);
    match (default, variability) {
        // FMI 3.0 lets inputs declare their default.
        (Initial::None, _) => version == FmiVersion::V3 && initial == Initial::Exact,
        (Initial::Calculated, Variability::Fixed | Variability::Tunable) => {
            matches!(initial, Initial::Approx | Initial::Calculated)
        }
        (Initial::Calculated, _) => true,
        (default, _) => initial == default,
    }
}

/// Whether the standard demands a start value.
pub(super) fn needs_start(causality: Causality, initial: Initial, value_type: ValueType) -> bool {
    let by_role = matches!(
        causality,
        Causality::Input | Causality::Parameter | Causality::StructuralParameter
    );
    value_type != ValueType::Clock
        && causality != Causality::Independent
        && (by_role || matches!(initial, Initial::Exact | Initial::Approx))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Causality::*;
    use Variability::*;

    #[test]
    fn initial_defaults_follow_the_table_of_the_standard() {
        for (causality, variability, expected) in [
            (Parameter, Fixed, Initial::Exact),
            (Parameter, Tunable, Initial::Exact),
            (StructuralParameter, Fixed, Initial::Exact),
            (CalculatedParameter, Fixed, Initial::Calculated),
            (CalculatedParameter, Tunable, Initial::Calculated),
            (Input, Discrete, Initial::None),
            (Input, Continuous, Initial::None),
            (Output, Constant, Initial::Exact),
            (Output, Discrete, Initial::Calculated),
            (Output, Continuous, Initial::Calculated),
            (Local, Constant, Initial::Exact),
            (Local, Fixed, Initial::Calculated),
            (Local, Tunable, Initial::Calculated),
            (Local, Discrete, Initial::Calculated),
            (Local, Continuous, Initial::Calculated),
            (Independent, Continuous, Initial::None),
        ] {
            assert!(is_legal(causality, variability), "{causality} {variability}");
            assert_eq!(initial(causality, variability), expected, "{causality} {variability}");
        }
        let all = [
            Parameter,
            CalculatedParameter,
            StructuralParameter,
            Input,
            Output,
            Local,
            Independent,
        ];
        let legal = all.into_iter().flat_map(|causality| {
            [Constant, Fixed, Tunable, Discrete, Continuous].map(|other| is_legal(causality, other))
        });
        assert_eq!(legal.filter(|legal| *legal).count(), 17);
    }

    #[test]
    fn what_initial_may_be_follows_the_table_of_the_standard() {
        let check = |causality, variability, allowed: &[Initial]| {
            for initial in [Initial::Exact, Initial::Approx, Initial::Calculated] {
                let actual = allows(causality, variability, initial, FmiVersion::V2);
                assert_eq!(
                    actual,
                    allowed.contains(&initial),
                    "{causality} {variability} {initial}"
                );
            }
        };
        check(Parameter, Fixed, &[Initial::Exact]);
        check(CalculatedParameter, Fixed, &[Initial::Approx, Initial::Calculated]);
        check(Local, Tunable, &[Initial::Approx, Initial::Calculated]);
        check(Output, Continuous, &[Initial::Exact, Initial::Approx, Initial::Calculated]);
        check(Output, Constant, &[Initial::Exact]);
        check(Input, Continuous, &[]);
    }
}
