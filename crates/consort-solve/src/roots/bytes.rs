//! The search for roots as bytes and back.

use super::{Crossing, Leaving, Roots, Side};
use crate::bytes::{BytesError, Reader, Writer};

/// How the bytes begin; its last byte is to be counted up when the form changes.
const MAGIC: [u8; 8] = *b"CSTROOT\x01";

impl Roots {
    /// Everything it needs to go on exactly; equal values have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC);
        writer.byte(u8::from(self.leaving == Leaving::Told));
        writer.reals(&[self.resolution, self.t]);
        writer.count(self.indicators.len());
        for (indicator, crossing) in self.indicators.iter().zip(&self.crossings) {
            writer.reals(&[indicator.value, indicator.band]);
            let side = match indicator.side {
                Side::Neither => 0,
                Side::NotAbove => 1,
                Side::Above => 2,
            };
            let crossing = match crossing {
                None => 0,
                Some(Crossing::Rising) => 1,
                Some(Crossing::Falling) => 2,
            };
            writer.byte(side + 3 * crossing);
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
        let leaving = match reader.byte()? {
            0 => Leaving::Quiet,
            1 => Leaving::Told,
            _ => return Err(impossible("way to leave zero")),
        };
        let (resolution, t) = (reader.real()?, reader.real()?);
        let len = reader.count(Self::INDICATORS_MAX, "number of indicators")?;
        // Before anything is allocated.
        reader.expect(len.saturating_mul(2))?;
        if !(0.0 <= resolution && resolution.is_finite() && t.is_finite()) {
            return Err(impossible("time"));
        }
        let mut roots = Roots { leaving, resolution, t, ..Roots::new(len) };
        for (indicator, crossing) in roots.indicators.iter_mut().zip(&mut roots.crossings) {
            (indicator.value, indicator.band) = (reader.real()?, reader.real()?);
            (indicator.side, *crossing) = code(reader.byte()?).ok_or(impossible("indicator"))?;
        }
        reader.end()?;
        Ok(roots)
    }
}

/// The side and the crossing a byte stands for.
fn code(byte: u8) -> Option<(Side, Option<Crossing>)> {
    let sides = [Side::Neither, Side::NotAbove, Side::Above];
    let crossings = [None, Some(Crossing::Rising), Some(Crossing::Falling)];
    let crossing = crossings.get(usize::from(byte / 3))?;
    Some((sides[usize::from(byte % 3)], *crossing))
}

impl PartialEq for Roots {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
