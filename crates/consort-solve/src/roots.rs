//! Where event indicators change sign.

mod bytes;
mod locate;
mod noise;

use consort_core::{Room, clone_by_field};
use noise::Noise;

/// Finds the instants at which event indicators z(t) change their domain over the steps of any solver.
///
/// - An indicator is above (0 < z) or not (z <= 0), as in FMI; an event is a change between the two.
///   What touches zero from below and turns back is no event; what touches it from above is, if a
///   point where z was looked at is in the touch.
/// - [`Roots::search`] looks at the end of a step, finds the earliest event within it to the last
///   representable instant (or a coarser resolution), and reports all indicators that have changed there.
/// - The reported instant is the first at which the change is seen, so the model can be put there and
///   sees it, too.
/// - By [`Leaving::Quiet`], an indicator that is zero, or that has just had an event and is still as
///   near to zero as it was found, is on neither side: to which it goes is no event.
/// - An indicator that rounding alone moves back and forth over zero is left alone after a few dozen events,
///   until it goes farther.
/// - Changes that are undone within one step are not seen: the step is the resolution at which a model
///   lets itself be looked at.
/// - It is a plain value like a solver: a clone of it or its bytes continue exactly as it would have.
///
/// ```
/// use consort_solve::{CrossingDirection, Roots};
///
/// let mut roots = Roots::new(2);
/// roots.start(0.0, &[-2.0, 3.0]);
/// let mut indicators = |t: f64, z: &mut [f64]| {
///     z.copy_from_slice(&[t * t - 2.0, 3.0 - t]);
///     Ok::<(), ()>(())
/// };
/// assert_eq!(roots.search(1.0, &mut indicators), Ok(None));
/// assert_eq!(roots.search(2.0, &mut indicators), Ok(Some(2.0_f64.sqrt())));
/// assert_eq!(roots.crossings(), &[Some(CrossingDirection::Rising), None]);
/// ```
#[derive(Debug)]
pub struct Roots {
    leaving: Leaving,
    /// The width at which an instant is found; zero: to the resolution of floating-point time.
    resolution: f64,
    /// How large the numbers are that indicators are computed from.
    scale: f64,
    t: f64,
    indicators: Vec<Indicator>,
    /// What was found by the last search.
    crossings: Vec<Option<CrossingDirection>>,
    work: Room<RootWork>,
}

clone_by_field!(Roots { leaving, resolution, scale, t, indicators, crossings, work });

/// Into which domain an indicator went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossingDirection {
    /// From z <= 0 to 0 < z.
    Rising,
    /// From 0 < z to z <= 0.
    Falling,
}

/// What is reported when an indicator leaves zero, where it began or where an event has just left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// Nothing: for models whose events leave an indicator at zero, like a ball at the floor.
    Quiet,
    /// An event, if it goes up: zero belongs to what is not above. For models that need to know of
    /// every change because they decide by their indicators at events only.
    Reported,
}

/// On which side of zero an indicator was seen last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Neither,
    NotAbove,
    Above,
}

/// What is remembered of one indicator.
#[derive(Clone, Copy, Debug)]
struct Indicator {
    /// Its value at the current time.
    value: f64,
    side: Side,
    /// So far from zero it was at its last event; after that it is on neither side
    /// until it is farther.
    band: f64,
    noise: Noise,
}

/// What a search works on: nothing of it means anything between searches.
#[derive(Debug, Default)]
struct RootWork {
    /// The indicators at both ends of what is still to be searched, and between.
    low: Vec<f64>,
    high: Vec<f64>,
    middle: Vec<f64>,
    /// The sides at the low end.
    sides: Vec<Side>,
    /// How far from zero each has been since its last event, as far as that was looked at.
    far: Vec<f64>,
    /// The end of the step.
    to: f64,
}

/// An indicator near zero is looked at soon after the current time, at first so soon in parts of the
/// step, then later by [`SOON_GROWS`], to see to which side it goes before it can come back.
const SOON: f64 = 1.0 / (1_u64 << 50) as f64;
const SOON_GROWS: f64 = 32.0;

impl Roots {
    /// The most indicators; bytes with more are refused.
    pub const INDICATORS_MAX: usize = 1 << 24;

    /// For so many indicators, at time zero with all of them zero until it is started.
    ///
    /// # Panics
    ///
    /// If there are more than [`Roots::INDICATORS_MAX`].
    pub fn new(len: usize) -> Self {
        assert!(len <= Self::INDICATORS_MAX, "{len} indicators are too many");
        let (side, noise) = (Side::Neither, Noise::default());
        let indicator = Indicator { value: 0.0, side, band: 0.0, noise };
        let mut work = Room::<RootWork>::default();
        work.fit(len);
        Roots {
            leaving: Leaving::Quiet,
            resolution: 0.0,
            scale: 1.0,
            t: 0.0,
            indicators: vec![indicator; len],
            crossings: vec![None; len],
            work,
        }
    }

    /// Sets what is reported when indicators leave zero; [`Leaving::Quiet`] by default.
    pub fn set_leaving(&mut self, leaving: Leaving) {
        self.leaving = leaving;
    }

    /// Finds instants no more exactly than this, which saves looks at the indicators; zero, the default,
    /// is the resolution of floating-point time.
    ///
    /// # Panics
    ///
    /// If it is negative or not finite.
    pub fn set_resolution(&mut self, resolution: f64) {
        assert!(0.0 <= resolution && resolution.is_finite(), "a resolution of {resolution} s");
        self.resolution = resolution;
    }

    /// How large the numbers are that indicators are computed from, which bounds how large their rounding may
    /// be; never less than one, as at first.
    ///
    /// # Panics
    ///
    /// If it is not a number.
    pub fn set_scale(&mut self, scale: f64) {
        assert!(!scale.is_nan(), "numbers of no size");
        self.scale = scale.clamp(1.0, f64::MAX);
    }

    /// Whether an indicator has so many events that its rounding matters, and so [`Roots::set_scale`].
    pub fn is_suspicious(&self) -> bool {
        self.indicators.iter().any(|indicator| indicator.noise.is_suspect())
    }

    /// Begins anew with the indicators at a time.
    ///
    /// # Panics
    ///
    /// If the time is not finite or the number of indicators is another.
    pub fn start(&mut self, t: f64, z: &[f64]) {
        self.crossings.fill(None);
        self.indicators.iter_mut().for_each(|indicator| indicator.noise = Noise::default());
        self.restart(t, z);
    }

    /// Continues after an event that was handled at `t`, with the indicators after it.
    ///
    /// # Panics
    ///
    /// If the time is not finite or the number of indicators is another.
    pub fn restart(&mut self, t: f64, z: &[f64]) {
        assert!(t.is_finite(), "indicators at {t} s");
        assert_eq!(z.len(), self.indicators.len(), "another number of indicators");
        self.t = t;
        let leaving = self.leaving;
        for ((indicator, crossing), z) in self.indicators.iter_mut().zip(&mut self.crossings).zip(z)
        {
            if crossing.take().is_none() {
                indicator.band = 0.0;
            }
            indicator.value = *z;
            let is_zero = leaving == Leaving::Quiet && z.abs() <= indicator.band;
            indicator.side = if is_zero { Side::Neither } else { Side::of(*z) };
        }
    }

    /// Takes over the state of a search for as many indicators, without a new allocation.
    ///
    /// # Panics
    ///
    /// If the other is for another number of indicators.
    pub fn copy_from(&mut self, other: &Roots) {
        assert_eq!(self.indicators.len(), other.indicators.len(), "another number of indicators");
        self.clone_from(other);
    }

    /// Looks for an event from the current time to `to`. `indicators(t, z)` is asked for the
    /// indicators at times between, usually on the solver's interpolant.
    ///
    /// Without an event, the current time is then `to`. With one, which is given by its instant and by
    /// [`Roots::crossings`], it is that instant, and [`Roots::restart`] continues from there.
    ///
    /// # Errors
    ///
    /// If the indicators could not be evaluated; nothing has changed then.
    ///
    /// # Panics
    ///
    /// If `to` is before the current time or not finite.
    pub fn search<E>(
        &mut self,
        to: f64,
        mut indicators: impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<Option<f64>, E> {
        assert!(self.t <= to && to.is_finite(), "a search from {} s to {to} s", self.t);
        self.crossings.fill(None);
        if to <= self.t || self.indicators.is_empty() {
            self.t = to;
            return Ok(None);
        }
        self.work.fit(self.indicators.len());
        self.begin(to);
        let (from, mut low, mut part) = (self.t, self.t, SOON);
        while part < 0.5 && self.is_near_zero() {
            let soon = from + part * (to - from);
            part *= SOON_GROWS;
            if low < soon && soon < to {
                if self.look(soon, &mut indicators)? {
                    return self.locate(low, soon, &mut indicators).map(Some);
                }
                low = soon;
            }
        }
        if self.look(to, &mut indicators)? {
            return self.locate(low, to, &mut indicators).map(Some);
        }
        self.settle(to);
        Ok(None)
    }

    /// How many bytes its lists take.
    pub(crate) fn list_bytes(&self) -> usize {
        size_of_val(&self.indicators[..]) + size_of_val(&self.crossings[..])
    }

    /// What the last search found for each indicator.
    pub fn crossings(&self) -> &[Option<CrossingDirection>] {
        &self.crossings
    }

    /// The current time.
    pub fn time(&self) -> f64 {
        self.t
    }
}

impl RootWork {
    /// Makes it that of so many indicators.
    #[inline]
    fn fit(&mut self, len: usize) {
        if self.sides.len() == len {
            return;
        }
        for list in [&mut self.low, &mut self.high, &mut self.middle, &mut self.far] {
            list.resize(len, 0.0);
        }
        self.sides.resize(len, Side::Neither);
    }
}
