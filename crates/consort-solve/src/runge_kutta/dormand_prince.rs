//! The pair of orders 5 and 4 by Dormand and Prince: A family of embedded Runge-Kutta formulae, Journal
//! of Computational and Applied Mathematics 6 (1980), with dense output of order 4 by Shampine as given
//! in Hairer, Norsett and Wanner: Solving Ordinary Differential Equations I, 2nd edition, section II.6.

use super::tableau::{Control, Stage, Tableau, Weights};

pub(super) const DORMAND_PRINCE: Tableau = Tableau {
    stages: STAGES,
    errors: &[ERROR],
    error_uses_last: true,
    dense_stages: &[],
    dense: &[DENSE],
    // The last stage but one and the end of the step are at the same time.
    stiffness: Some((5, LAST_DIFFERENCE, 3.25)),
    control: Control { order: 5.0, beta: 0.04, shrink_max: 5.0, grow_max: 10.0 },
};

/// The stages after the first; the last row is the end of the step.
const STAGES: &[Stage] = &[
    Stage { time: 1.0 / 5.0, weights: &[(0, 1.0 / 5.0)] },
    Stage { time: 3.0 / 10.0, weights: &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)] },
    Stage { time: 4.0 / 5.0, weights: &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)] },
    Stage {
        time: 8.0 / 9.0,
        weights: &[
            (0, 19372.0 / 6561.0),
            (1, -25360.0 / 2187.0),
            (2, 64448.0 / 6561.0),
            (3, -212.0 / 729.0),
        ],
    },
    Stage {
        time: 1.0,
        weights: &[
            (0, 9017.0 / 3168.0),
            (1, -355.0 / 33.0),
            (2, 46732.0 / 5247.0),
            (3, 49.0 / 176.0),
            (4, -5103.0 / 18656.0),
        ],
    },
    Stage {
        time: 1.0,
        weights: &[
            (0, 35.0 / 384.0),
            (2, 500.0 / 1113.0),
            (3, 125.0 / 192.0),
            (4, -2187.0 / 6784.0),
            (5, 11.0 / 84.0),
        ],
    },
];

const ERROR: Weights = &[
    (0, 71.0 / 57600.0),
    (2, -71.0 / 16695.0),
    (3, 71.0 / 1920.0),
    (4, -17253.0 / 339_200.0),
    (5, 22.0 / 525.0),
    (6, -1.0 / 40.0),
];

const DENSE: Weights = &[
    (0, -12_715_105_075.0 / 11_282_082_432.0),
    (2, 87_487_479_700.0 / 32_700_410_799.0),
    (3, -10_690_763_975.0 / 1_880_347_072.0),
    (4, 701_980_252_875.0 / 199_316_789_632.0),
    (5, -1_453_857_185.0 / 822_651_844.0),
    (6, 69_997_945.0 / 29_380_423.0),
];

/// The end of the step less the last stage before it.
const LAST_DIFFERENCE: Weights = &[
    (0, 35.0 / 384.0 - 9017.0 / 3168.0),
    (1, 355.0 / 33.0),
    (2, 500.0 / 1113.0 - 46732.0 / 5247.0),
    (3, 125.0 / 192.0 - 49.0 / 176.0),
    (4, 5103.0 / 18656.0 - 2187.0 / 6784.0),
    (5, 11.0 / 84.0),
];
