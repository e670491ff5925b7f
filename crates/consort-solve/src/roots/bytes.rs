//! The search for roots as bytes and back.

use super::noise::Noise;
use super::{CrossingDirection, Leaving, Roots, Side};
use crate::bytes::{BytesError, ReadParts, Reader, WriteParts, Writer};

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTROOT\x02";

const LEAVING: [Leaving; 2] = [Leaving::Quiet, Leaving::Reported];
/// Sides and crossings; the place of a pair stands for it.
const INDICATORS: [(Side, Option<CrossingDirection>); 9] = [
    (Side::Neither, None),
    (Side::NotAbove, None),
    (Side::Above, None),
    (Side::Neither, Some(CrossingDirection::Rising)),
    (Side::NotAbove, Some(CrossingDirection::Rising)),
    (Side::Above, Some(CrossingDirection::Rising)),
    (Side::Neither, Some(CrossingDirection::Falling)),
    (Side::NotAbove, Some(CrossingDirection::Falling)),
    (Side::Above, Some(CrossingDirection::Falling)),
];

impl Roots {
    /// Everything it needs to continue exactly; equal values have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.choice(&LEAVING, self.leaving);
        writer.reals(&[self.resolution, self.scale, self.t]);
        writer.count(self.indicators.len());
        for (indicator, crossing) in self.indicators.iter().zip(&self.crossings) {
            writer.reals(&[indicator.value, indicator.band]);
            writer.choice(&INDICATORS, (indicator.side, *crossing));
            let Noise { row, jump, far } = indicator.noise;
            writer.word(row);
            writer.reals(&[jump, far]);
        }
        writer.finish()
    }

    /// What [`Roots::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// If these are no such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let impossible = |what| BytesError::Impossible { what };
        let mut reader = Reader::new(bytes, MAGIC)?;
        let leaving = reader.choice(&LEAVING, "way to leave zero")?;
        let (resolution, scale, t) = (reader.real()?, reader.real()?, reader.real()?);
        let len = reader.at_most(Self::INDICATORS_MAX, "number of indicators")?;
        // Before anything is allocated.
        reader.expect_words(len.saturating_mul(5))?;
        if !(0.0 <= resolution && resolution.is_finite() && t.is_finite()) {
            return Err(impossible("time"));
        }
        if !(1.0 <= scale && scale.is_finite()) {
            return Err(impossible("size of numbers"));
        }
        let mut roots = Roots { leaving, resolution, scale, t, ..Roots::new(len) };
        for (indicator, crossing) in roots.indicators.iter_mut().zip(&mut roots.crossings) {
            (indicator.value, indicator.band) = (reader.real()?, reader.real()?);
            (indicator.side, *crossing) = reader.choice(&INDICATORS, "indicator")?;
            let noise = Noise { row: reader.word()?, jump: reader.real()?, far: reader.real()? };
            indicator.noise = noise.checked().ok_or_else(|| impossible("noise"))?;
        }
        reader.end()?;
        Ok(roots)
    }
}

impl PartialEq for Roots {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
