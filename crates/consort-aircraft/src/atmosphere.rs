//! The U.S. Standard Atmosphere 1976 up to 84.852 km of geopotential altitude, with wind.

use crate::{OutputRow, declare_outputs, elements, set_scalars};
use consort_core::ModelDescription;
use consort_models::native::{BlockBehavior, BlockDraft, BlockMoment, Slot, Store};
use std::f64::consts::TAU;

/// Of dry air, in J/(kg K): 8314.32 by 28.9644, the numbers of the standard.
pub(crate) const GAS_CONSTANT: f64 = 8314.32 / 28.9644;
pub(crate) const HEAT_RATIO: f64 = 1.4;
pub(crate) const SEA_LEVEL_TEMPERATURE: f64 = 288.15;
pub(crate) const SEA_LEVEL_PRESSURE: f64 = 101_325.0;
pub(crate) const GRAVITY: f64 = 9.80665;
/// How fast it gets colder in the lowest layer, in K/m.
pub(crate) const LAPSE: f64 = 0.0065;
/// The earth's radius by which geometric altitude becomes geopotential altitude.
const EARTH_RADIUS: f64 = 6_356_766.0;

/// Where layers begin, in m, and how temperature changes in them, in K/m.
const LAYERS: [(f64, f64); 7] = [
    (0.0, -LAPSE),
    (11_000.0, 0.0),
    (20_000.0, 0.001),
    (32_000.0, 0.0028),
    (47_000.0, 0.0),
    (51_000.0, -0.0028),
    (71_000.0, -0.002),
];
/// Where the last layer ends.
const TOP: f64 = 84_852.0;

const OUTPUTS: [OutputRow<'static>; 7] = [
    ("temperature", "K", "of the air", &[0]),
    ("pressure", "Pa", "of the air", &[0]),
    ("density", "kg/m3", "of the air", &[0]),
    ("speed_of_sound", "m/s", "in the air", &[0]),
    ("wind_north", "m/s", "how fast the air moves to the north", &[]),
    ("wind_east", "m/s", "how fast the air moves to the east", &[]),
    ("wind_down", "m/s", "how fast the air sinks", &[]),
];

/// A layer with the temperature and the pressure where it begins.
pub(crate) struct Layer {
    pub(crate) base: f64,
    pub(crate) slope: f64,
    pub(crate) temperature: f64,
    pub(crate) pressure: f64,
}

impl Layer {
    /// Temperature and pressure at a geopotential altitude.
    fn at(&self, altitude: f64) -> (f64, f64) {
        let above = altitude - self.base;
        let temperature = self.temperature + self.slope * above;
        let exponent = GRAVITY / GAS_CONSTANT;
        let ratio = if self.slope == 0.0 {
            libm::exp(-exponent * above / self.temperature)
        } else {
            libm::pow(temperature / self.temperature, -exponent / self.slope)
        };
        (temperature, self.pressure * ratio)
    }
}

/// Steady wind, and one gust that grows and fades as `(1 - cos) / 2`.
struct Atmosphere {
    layers: Vec<Layer>,
    wind: Slot,
    gust: Slot,
    gust_start: Slot,
    gust_duration: Slot,
    altitude: Slot,
    outputs: [Slot; OUTPUTS.len()],
}

pub(crate) fn atmosphere(draft: &mut BlockDraft<'_>) -> Option<Box<dyn BlockBehavior>> {
    let text = "the steady wind to the north, to the east and down";
    let wind = draft.parameter("wind", &[3], 0.0, text).unit("m/s").slot();
    let text = "what a gust adds to the wind at its height";
    let gust = draft.parameter("gust", &[3], 0.0, text).unit("m/s").slot();
    let gust_start = draft.fixed("gust_start", 0.0, "when the gust begins").unit("s").slot();
    let text = "how long the gust takes";
    let gust_duration = draft.fixed("gust_duration", 1.0, text).unit("s").min(0.0).slot();
    let text = "geometric, above sea level";
    let altitude = draft.input("altitude", &[], text).unit("m").slot();
    let parameters = [wind, gust, gust_start, gust_duration];
    let outputs = declare_outputs(draft, &OUTPUTS, &[altitude], &parameters);
    let layers = layers();
    Some(Box::new(Atmosphere { layers, wind, gust, gust_start, gust_duration, altitude, outputs }))
}

/// From the ground up.
pub(crate) fn layers() -> Vec<Layer> {
    let mut layers: Vec<Layer> = Vec::new();
    for (base, slope) in LAYERS {
        let ground = (SEA_LEVEL_TEMPERATURE, SEA_LEVEL_PRESSURE);
        let (temperature, pressure) = layers.last().map_or(ground, |below| below.at(base));
        layers.push(Layer { base, slope, temperature, pressure });
    }
    layers
}

impl Atmosphere {
    /// Above the standard's end, the air at its end; below the sea, the first layer goes on.
    fn still_air(&self, altitude: f64) -> (f64, f64) {
        let geopotential = EARTH_RADIUS * altitude / (EARTH_RADIUS + altitude);
        let geopotential = if TOP < geopotential { TOP } else { geopotential };
        let below = self.layers.iter().rfind(|layer| layer.base <= geopotential);
        below.unwrap_or(&self.layers[0]).at(geopotential)
    }

    fn wind(&self, now: &BlockMoment<'_>, store: &Store) -> [f64; 3] {
        let (wind, gust): ([f64; 3], [f64; 3]) =
            (elements(store, self.wind), elements(store, self.gust));
        let elapsed = now.seconds() - store.scalar(self.gust_start);
        let duration = store.scalar(self.gust_duration);
        let is_gusty = 0.0 < elapsed && elapsed < duration;
        let part = if is_gusty { 0.5 - 0.5 * libm::cos(TAU * (elapsed / duration)) } else { 0.0 };
        std::array::from_fn(|axis| wind[axis] + part * gust[axis])
    }
}

impl BlockBehavior for Atmosphere {
    fn outputs(&self, now: &BlockMoment<'_>, store: &mut Store) {
        let (temperature, pressure) = self.still_air(store.scalar(self.altitude));
        let energy = GAS_CONSTANT * temperature;
        let [north, east, down] = self.wind(now, store);
        let sound = (HEAT_RATIO * energy).sqrt();
        let values = [temperature, pressure, pressure / energy, sound, north, east, down];
        set_scalars(store, &self.outputs, values);
    }
}

/// Each layer of the standard atmosphere, then wind.
pub(crate) fn equations(_: &ModelDescription) -> String {
    let mut text = "variable full = 6356766*altitude/(6356766 + altitude)\n\
        variable h = if 84852 < full then 84852 else full\n"
        .to_owned();
    let layers = layers();
    let mut temperature = "temperature = ".to_owned();
    let mut pressure = "pressure = ".to_owned();
    for (at, layer) in layers.iter().enumerate() {
        let (slope, start, base) = (layer.slope, layer.temperature, layer.base);
        let here = format!("({start:?} + ({slope:?})*(h - {base:?}))");
        let ratio = match slope == 0.0 {
            true => format!("exp(-exponent*(h - {base:?})/{start:?})"),
            false => format!("power({here}/{start:?}, -exponent/({slope:?}))"),
        };
        let condition = match layers.get(at + 1) {
            Some(next) => format!("if h < {:?} then ", next.base),
            None => String::new(),
        };
        let ending = if at + 1 < layers.len() { " else " } else { "\n" };
        temperature += &format!("{condition}{here}{ending}");
        pressure += &format!("{condition}{:?}*{ratio}{ending}", layer.pressure);
    }
    text += "variable gas = 8314.32/28.9644\nvariable exponent = 9.80665/gas\n";
    text + &temperature + &pressure + include_str!("atmosphere.eq")
}
