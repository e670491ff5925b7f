//! The earliest event between two times.

use super::{CrossingDirection, Indicator, RootWork, Roots, Side};

/// No event is located closer than this part of what was searched; only near time zero, where time has
/// a much finer resolution, is that coarser than asked.
const CLOSEST: f64 = 1.0 / (1_u64 << 63) as f64;

/// Indicators that change within so many representable times of each other change together: rounding
/// distinguishes them, not the model.
const TOGETHER: f64 = 16.0;

/// What is less than this part of the width from an end is near it.
const NEAR: f64 = 1.0 / 16.0;

/// An event between two times, of which the indicators at the later have changed.
struct Bracket {
    low: f64,
    high: f64,
    /// By how much the values at each end count less when the other end has moved again and again.
    low_weight: f64,
    high_weight: f64,
    moved: Option<End>,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Low,
    High,
}

impl Roots {
    /// Begins a search with what is known at the current time.
    pub(super) fn begin(&mut self, to: f64) {
        self.work.to = to;
        for (i, indicator) in self.indicators.iter().enumerate() {
            (self.work.low[i], self.work.sides[i]) = (indicator.value, indicator.side);
            self.work.far[i] = indicator.noise.far;
        }
    }

    /// Whether an indicator at the low end is zero, or as near to it as its last event was.
    pub(super) fn is_near_zero(&self) -> bool {
        let each = self.work.low.iter().zip(&self.indicators);
        each.into_iter().any(|(z, indicator)| z.abs() <= indicator.band)
    }

    /// Whether an indicator has changed at `t`. If so, the values there are the high end's; if not, the
    /// low end's, and indicators on neither side may have come to one.
    pub(super) fn look<E>(
        &mut self,
        t: f64,
        indicators: &mut impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<bool, E> {
        let work = &mut *self.work;
        indicators(t, &mut work.middle)?;
        let each = work.sides.iter().zip(&work.middle).zip(&self.indicators);
        let has_changed = each.into_iter().any(|((side, z), it)| it.leaves(*side, *z, self.scale));
        if has_changed {
            std::mem::swap(&mut work.high, &mut work.middle);
            return Ok(true);
        }
        std::mem::swap(&mut work.low, &mut work.middle);
        let sides = work.sides.iter_mut().zip(&work.low).zip(&mut work.far);
        for (((side, z), far), indicator) in sides.zip(&self.indicators) {
            *far = far.max(z.abs());
            if *side == Side::Neither && indicator.band < z.abs() {
                *side = Side::of(*z);
            }
        }
        Ok(false)
    }

    /// Takes the low end over as the current time.
    pub(super) fn settle(&mut self, t: f64) {
        self.t = t;
        for (i, indicator) in self.indicators.iter_mut().enumerate() {
            (indicator.value, indicator.side) = (self.work.low[i], self.work.sides[i]);
            indicator.noise.pass(self.work.far[i]);
        }
    }

    /// Finds the event between two times of which the later was just seen to be after it.
    pub(super) fn locate<E>(
        &mut self,
        low: f64,
        high: f64,
        indicators: &mut impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<f64, E> {
        let (end, closest) = (high, self.resolution.max(CLOSEST * (high - low)));
        let mut bracket = Bracket { low, high, low_weight: 1.0, high_weight: 1.0, moved: None };
        let mut widths = [f64::INFINITY; 2];
        while let Some(half) = bracket.half(closest) {
            let width = bracket.high - bracket.low;
            let is_slow = 0.5 * widths[0] < width;
            widths = if is_slow { [f64::INFINITY; 2] } else { [widths[1], width] };
            let middle = if is_slow { half } else { self.estimate(&bracket, closest) };
            let has_changed = self.look(middle, indicators)?;
            bracket.shrink(middle, has_changed);
        }
        let late = (bracket.high + self.resolution.max(TOGETHER * spacing(bracket.high))).min(end);
        let is_late = bracket.high < late && self.more_change(late, indicators)?;
        let t = if is_late { late } else { bracket.high };
        self.advance_to_event(t);
        Ok(t)
    }

    /// Whether a moment later all that have changed still are so, and others, too; if so, the values
    /// then are the high end's.
    fn more_change<E>(
        &mut self,
        late: f64,
        indicators: &mut impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<bool, E> {
        let RootWork { sides, high, middle, .. } = &mut *self.work;
        indicators(late, middle)?;
        let each = || {
            let values = high.iter().zip(middle.iter());
            let both = |((side, (now, then)), it): ((&Side, (&f64, &f64)), &Indicator)| {
                (it.leaves(*side, *now, self.scale), it.leaves(*side, *then, self.scale))
            };
            sides.iter().zip(values).zip(&self.indicators).map(both)
        };
        let all = each().all(|(now, then)| !now || then);
        let more = each().any(|(now, then)| !now && then);
        if all && more {
            std::mem::swap(high, middle);
        }
        Ok(all && more)
    }

    /// Where the earliest of the changes is, by the secant through both ends.
    fn estimate(&self, bracket: &Bracket, closest: f64) -> f64 {
        let (low, high) = (&self.work.low, &self.work.high);
        let mut earliest = 1.0_f64;
        for (i, side) in self.work.sides.iter().enumerate() {
            if self.indicators[i].leaves(*side, high[i], self.scale) {
                let (low, high) = (bracket.low_weight * low[i], bracket.high_weight * high[i]);
                earliest = earliest.min(low / (low - high));
            }
        }
        // Near an end, twice as far from it: an event just passed leaves a short rest.
        let earliest = match earliest {
            part if part < NEAR => 2.0 * part,
            part if 1.0 - NEAR < part => 1.0 - 2.0 * (1.0 - part),
            part => part,
        };
        let spacing = closest.max(spacing(bracket.high));
        let estimate = bracket.low + earliest * (bracket.high - bracket.low);
        estimate.max(bracket.low + spacing).min(bracket.high - spacing)
    }

    /// Moves to the event at the high end of the bracket, and notes which indicators cross there.
    fn advance_to_event(&mut self, t: f64) {
        let part = (t - self.t) / (self.work.to - self.t);
        self.t = t;
        for (i, indicator) in self.indicators.iter_mut().enumerate() {
            let (side, low, high) = (self.work.sides[i], self.work.low[i], self.work.high[i]);
            let has_left = indicator.leaves(side, high, self.scale);
            if has_left {
                let rises = side == Side::NotAbove;
                self.crossings[i] = Some(if rises {
                    CrossingDirection::Rising
                } else {
                    CrossingDirection::Falling
                });
                let band = 2.0 * low.abs().max(high.abs());
                let mut noise = indicator.noise;
                noise.count([low, high], self.work.far[i], part);
                *indicator = Indicator { value: high, side: Side::of(high), band, noise };
            } else {
                indicator.noise.pass(self.work.far[i]);
                (indicator.value, indicator.side) = (high, side);
            }
        }
    }
}

impl Bracket {
    /// The time in the middle; none if the ends are as close as they can or need be.
    fn half(&self, closest: f64) -> Option<f64> {
        let half = self.low + 0.5 * (self.high - self.low);
        let is_between = self.low < half && half < self.high;
        (is_between && closest < self.high - self.low).then_some(half)
    }

    /// Moves one end to the middle. An end that stays twice has its value halved, so that the next
    /// secant passes the event (the Illinois method).
    fn shrink(&mut self, middle: f64, has_changed: bool) {
        if has_changed {
            let stays = self.moved == Some(End::High);
            self.low_weight = if stays { 0.5 * self.low_weight } else { 1.0 };
            (self.high, self.high_weight, self.moved) = (middle, 1.0, Some(End::High));
        } else {
            let stays = self.moved == Some(End::Low);
            self.high_weight = if stays { 0.5 * self.high_weight } else { 1.0 };
            (self.low, self.low_weight, self.moved) = (middle, 1.0, Some(End::Low));
        }
    }
}

impl Indicator {
    /// Whether a value is on the other side, by more than noise.
    fn leaves(&self, side: Side, z: f64, scale: f64) -> bool {
        side.left_by(z) && self.noise.zone(scale) <= z.abs()
    }
}

impl Side {
    pub(super) fn of(z: f64) -> Self {
        if 0.0 < z { Side::Above } else { Side::NotAbove }
    }

    /// Whether a value is on the other side.
    fn left_by(self, z: f64) -> bool {
        self != Side::Neither && self != Side::of(z)
    }
}

/// How far the next time is.
fn spacing(t: f64) -> f64 {
    t.abs().next_up() - t.abs()
}
