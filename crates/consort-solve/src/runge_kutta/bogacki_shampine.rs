//! The pair of orders 3 and 2 by Bogacki and Shampine: A 3(2) pair of Runge-Kutta formulas, Applied
//! Mathematics Letters 2 (1989).

use super::tableau::{Control, Stage, Tableau, Weights};

pub(super) const BOGACKI_SHAMPINE: Tableau = Tableau {
    stages: STAGES,
    errors: &[ERROR],
    error_uses_last: true,
    dense_stages: &[],
    dense: &[],
    stiffness: None,
    control: Control { order: 3.0, beta: 0.2 / 3.0, shrink_max: 5.0, grow_max: 10.0 },
};

const STAGES: &[Stage] = &[
    Stage { time: 1.0 / 2.0, weights: &[(0, 1.0 / 2.0)] },
    Stage { time: 3.0 / 4.0, weights: &[(1, 3.0 / 4.0)] },
    Stage { time: 1.0, weights: &[(0, 2.0 / 9.0), (1, 1.0 / 3.0), (2, 4.0 / 9.0)] },
];

const ERROR: Weights = &[(0, -5.0 / 72.0), (1, 1.0 / 12.0), (2, 1.0 / 9.0), (3, -1.0 / 8.0)];
