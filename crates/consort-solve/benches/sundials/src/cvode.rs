//! CVODE behind hand-written declarations: just the calls the benchmark makes (SUNDIALS 7.1.1,
//! doubles, 64-bit indices).

use crate::contest::{Contender, Count};
use crate::problems::Setup;
use consort_solve::Structure;
use std::ffi::{c_int, c_long, c_void};
use std::ptr::null_mut;

/// A right-hand side in C, as CVODE calls it: time, states, derivatives, the user's data.
pub(crate) type RightHandSide =
    unsafe extern "C" fn(f64, *mut c_void, *mut c_void, *mut c_void) -> c_int;

const ADAMS: c_int = 1;
const BDF: c_int = 2;
const NORMAL: c_int = 1;
const ONE_STEP: c_int = 2;
const STEPS_MAX: c_long = 3_000_000;

unsafe extern "C" {
    fn SUNContext_Create(comm: c_int, context: *mut *mut c_void) -> c_int;
    fn SUNContext_Free(context: *mut *mut c_void) -> c_int;
    fn N_VNew_Serial(len: i64, context: *mut c_void) -> *mut c_void;
    fn N_VGetLength(vector: *mut c_void) -> i64;
    fn N_VGetArrayPointer(vector: *mut c_void) -> *mut f64;
    fn N_VEnableFusedOps_Serial(vector: *mut c_void, enabled: c_int) -> c_int;
    fn N_VDestroy(vector: *mut c_void);
    fn SUNDenseMatrix(rows: i64, columns: i64, context: *mut c_void) -> *mut c_void;
    fn SUNBandMatrix(len: i64, upper: i64, lower: i64, context: *mut c_void) -> *mut c_void;
    fn SUNMatDestroy(matrix: *mut c_void);
    fn SUNLinSol_Dense(x: *mut c_void, a: *mut c_void, context: *mut c_void) -> *mut c_void;
    fn SUNLinSol_Band(x: *mut c_void, a: *mut c_void, context: *mut c_void) -> *mut c_void;
    fn SUNLinSolFree(solver: *mut c_void) -> c_int;
    fn SUNNonlinSol_FixedPoint(x: *mut c_void, m: c_int, context: *mut c_void) -> *mut c_void;
    fn SUNNonlinSolFree(solver: *mut c_void) -> c_int;
    fn CVodeCreate(method: c_int, context: *mut c_void) -> *mut c_void;
    fn CVodeInit(solver: *mut c_void, f: RightHandSide, t: f64, x: *mut c_void) -> c_int;
    fn CVodeReInit(solver: *mut c_void, t: f64, x: *mut c_void) -> c_int;
    fn CVodeSVtolerances(solver: *mut c_void, relative: f64, absolute: *mut c_void) -> c_int;
    fn CVodeSetUserData(solver: *mut c_void, data: *mut c_void) -> c_int;
    fn CVodeSetMaxNumSteps(solver: *mut c_void, steps: c_long) -> c_int;
    fn CVodeSetStopTime(solver: *mut c_void, t: f64) -> c_int;
    fn CVodeSetLinearSolver(solver: *mut c_void, linear: *mut c_void, a: *mut c_void) -> c_int;
    fn CVodeSetNonlinearSolver(solver: *mut c_void, nonlinear: *mut c_void) -> c_int;
    fn CVode(solver: *mut c_void, to: f64, x: *mut c_void, t: *mut f64, task: c_int) -> c_int;
    fn CVodeGetDky(solver: *mut c_void, t: f64, order: c_int, x: *mut c_void) -> c_int;
    fn CVodeGetNumSteps(solver: *mut c_void, steps: *mut c_long) -> c_int;
    fn CVodeGetNumRhsEvals(solver: *mut c_void, evaluations: *mut c_long) -> c_int;
    fn CVodeGetNumLinRhsEvals(solver: *mut c_void, evaluations: *mut c_long) -> c_int;
    fn CVodeFree(solver: *mut *mut c_void);
}

/// Which of CVODE's two families, with the iteration that suits it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// With functional iteration.
    Adams,
    /// With Newton's, dense or banded, the Jacobian by differences.
    Bdf,
}

impl Family {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Family::Adams => "CVODE Adams",
            Family::Bdf => "CVODE BDF",
        }
    }
}

/// CVODE, set up for one problem.
pub(crate) struct Cvode {
    context: *mut c_void,
    solver: *mut c_void,
    states: *mut c_void,
    /// Room for what is looked at.
    seen: *mut c_void,
    absolute: *mut c_void,
    matrix: *mut c_void,
    linear: *mut c_void,
    nonlinear: *mut c_void,
    /// Read by the right-hand side through a pointer that CVODE keeps: the setup's parameter, an input.
    parameters: Box<[f64; 2]>,
    x0: Vec<f64>,
    t_end: f64,
}

impl Cvode {
    pub(crate) fn new(family: Family, setup: &Setup) -> Self {
        let mut context = null_mut();
        let mut parameters = Box::new([setup.parameter, 0.0]);
        let len = i64::try_from(setup.x0.len()).expect("a problem's length is small");
        // SAFETY: the arguments are as SUNDIALS documents them; what it returns is kept until
        // `drop`, and so is the box that the right-hand side reads.
        unsafe {
            succeeded(SUNContext_Create(0, &raw mut context), "SUNContext_Create");
            let states = vector(&setup.x0, context);
            let seen = vector(&setup.x0, context);
            let absolute = vector(&setup.tolerances.absolute, context);
            // Off unless asked for; the vectors that CVODE clones from this one are faster by it.
            succeeded(N_VEnableFusedOps_Serial(states, 1), "N_VEnableFusedOps");
            let lmm = if family == Family::Adams { ADAMS } else { BDF };
            let solver = CVodeCreate(lmm, context);
            succeeded(CVodeInit(solver, setup.right_hand_side, 0.0, states), "CVodeInit");
            succeeded(CVodeSVtolerances(solver, setup.tolerances.relative, absolute), "tolerances");
            let data = (&raw mut *parameters).cast();
            succeeded(CVodeSetUserData(solver, data), "CVodeSetUserData");
            succeeded(CVodeSetMaxNumSteps(solver, STEPS_MAX), "CVodeSetMaxNumSteps");
            let (mut matrix, mut linear, mut nonlinear) = (null_mut(), null_mut(), null_mut());
            if family == Family::Adams {
                nonlinear = SUNNonlinSol_FixedPoint(states, 0, context);
                succeeded(CVodeSetNonlinearSolver(solver, nonlinear), "CVodeSetNonlinearSolver");
            } else {
                (matrix, linear) = linear_solver(&setup.structure, len, states, context);
                succeeded(CVodeSetLinearSolver(solver, linear, matrix), "CVodeSetLinearSolver");
            }
            let (x0, t_end) = (setup.x0.clone(), setup.t_end);
            Cvode {
                context,
                solver,
                states,
                seen,
                absolute,
                matrix,
                linear,
                nonlinear,
                parameters,
                x0,
                t_end,
            }
        }
    }

    /// Starts anew at `from` with the states there are and an input that holds up to `to`.
    pub(crate) fn begin(&mut self, from: f64, to: f64, input: f64) {
        self.parameters[1] = input;
        // SAFETY: solver and vector live as long as `self`.
        unsafe {
            succeeded(CVodeReInit(self.solver, from, self.states), "CVodeReInit");
            succeeded(CVodeSetStopTime(self.solver, to), "CVodeSetStopTime");
        }
    }

    /// One step, at most to `to`: where it ended, or CVODE's answer if it fails.
    pub(crate) fn step(&mut self, to: f64) -> Result<f64, c_int> {
        let mut t = 0.0;
        // SAFETY: solver and vector live as long as `self`.
        let answer = unsafe { CVode(self.solver, to, self.states, &raw mut t, ONE_STEP) };
        if answer < 0 { Err(answer) } else { Ok(t) }
    }

    /// The states at a time within the last step.
    pub(crate) fn look(&mut self, t: f64) -> &[f64] {
        // SAFETY: solver and vectors live as long as `self` and have the length of `x0`.
        unsafe {
            succeeded(CVodeGetDky(self.solver, t, 0, self.seen), "CVodeGetDky");
            std::slice::from_raw_parts(N_VGetArrayPointer(self.seen), self.x0.len())
        }
    }

    /// The work since it started anew.
    pub(crate) fn work(&self) -> Count {
        self.count()
    }

    fn x(&self) -> &[f64] {
        // SAFETY: the vector was made with this length and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(N_VGetArrayPointer(self.states), self.x0.len()) }
    }
}

impl Contender for Cvode {
    fn integrate(&mut self) {
        let mut t = 0.0;
        // SAFETY: solver and vector live as long as `self`; the vector has the length of `x0`.
        unsafe {
            let x = std::slice::from_raw_parts_mut(N_VGetArrayPointer(self.states), self.x0.len());
            x.copy_from_slice(&self.x0);
            succeeded(CVodeReInit(self.solver, 0.0, self.states), "CVodeReInit");
            // Like ours: the last step ends at the end, and f is not asked beyond it.
            succeeded(CVodeSetStopTime(self.solver, self.t_end), "CVodeSetStopTime");
            succeeded(CVode(self.solver, self.t_end, self.states, &raw mut t, NORMAL), "CVode");
        }
        assert!(self.t_end <= t, "CVODE stopped at {t}");
    }

    fn states(&self) -> Vec<f64> {
        self.x().to_vec()
    }

    fn count(&self) -> Count {
        let (mut steps, mut evaluations, mut differences) = (0, 0, 0);
        // SAFETY: the solver lives as long as `self`.
        unsafe {
            succeeded(CVodeGetNumSteps(self.solver, &raw mut steps), "CVodeGetNumSteps");
            let status = CVodeGetNumRhsEvals(self.solver, &raw mut evaluations);
            succeeded(status, "CVodeGetNumRhsEvals");
            if !self.linear.is_null() {
                let status = CVodeGetNumLinRhsEvals(self.solver, &raw mut differences);
                succeeded(status, "CVodeGetNumLinRhsEvals");
            }
        }
        Count {
            steps: steps.unsigned_abs(),
            evaluations: (evaluations + differences).unsigned_abs(),
        }
    }
}

impl Drop for Cvode {
    fn drop(&mut self) {
        // SAFETY: everything was made by `new`, is freed once, and the context last.
        unsafe {
            CVodeFree(&raw mut self.solver);
            if !self.linear.is_null() {
                SUNLinSolFree(self.linear);
                SUNMatDestroy(self.matrix);
            }
            if !self.nonlinear.is_null() {
                SUNNonlinSolFree(self.nonlinear);
            }
            N_VDestroy(self.states);
            N_VDestroy(self.seen);
            N_VDestroy(self.absolute);
            SUNContext_Free(&raw mut self.context);
        }
    }
}

/// What a right-hand side is called with: the parameters, the states, the derivatives to be found.
///
/// # Safety
/// The pointers are those that CVODE passes to a right-hand side of [`Cvode`].
pub(crate) unsafe fn arguments<'a>(
    x: *mut c_void,
    dx: *mut c_void,
    user: *mut c_void,
) -> (&'a [f64; 2], &'a [f64], &'a mut [f64]) {
    // SAFETY: the vectors are serial ones of equal length, the data the parameters' own.
    unsafe {
        let len = usize::try_from(N_VGetLength(x)).expect("a length is not negative");
        let states = std::slice::from_raw_parts(N_VGetArrayPointer(x), len);
        let slopes = std::slice::from_raw_parts_mut(N_VGetArrayPointer(dx), len);
        (&*user.cast_const().cast(), states, slopes)
    }
}

/// A serial vector with these values.
///
/// # Safety
/// The context is SUNDIALS' own and alive.
unsafe fn vector(values: &[f64], context: *mut c_void) -> *mut c_void {
    let len = i64::try_from(values.len()).expect("a problem's length is small");
    // SAFETY: the vector is made here with as many elements as are copied.
    unsafe {
        let vector = N_VNew_Serial(len, context);
        let data = N_VGetArrayPointer(vector);
        std::ptr::copy_nonoverlapping(values.as_ptr(), data, values.len());
        vector
    }
}

/// The matrix and its solver for the structure of a problem.
///
/// # Safety
/// The context and the vector are SUNDIALS' own and alive.
unsafe fn linear_solver(
    structure: &Structure,
    len: i64,
    states: *mut c_void,
    context: *mut c_void,
) -> (*mut c_void, *mut c_void) {
    // SAFETY: the arguments are as SUNDIALS documents them.
    unsafe {
        match structure {
            Structure::Banded { lower, upper } => {
                let width = |count: &usize| i64::try_from(*count).expect("a band is small");
                let matrix = SUNBandMatrix(len, width(upper), width(lower), context);
                (matrix, SUNLinSol_Band(states, matrix, context))
            }
            _ => {
                let matrix = SUNDenseMatrix(len, len, context);
                (matrix, SUNLinSol_Dense(states, matrix, context))
            }
        }
    }
}

/// Negative answers of SUNDIALS are failures.
fn succeeded(answer: c_int, what: &str) {
    assert!(0 <= answer, "{what} failed with {answer}");
}
