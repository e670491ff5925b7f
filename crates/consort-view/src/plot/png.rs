//! A figure as pixels: the SVG, rendered with a font of our own, so that text shows on a machine
//! without fonts and looks the same on every machine.

use super::{Figure, Size, svg};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::fmt;
use std::sync::Arc;

/// Why a picture could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum PngError {
    /// More pixels than a picture may have. Take a smaller size or scale, or fewer variables.
    TooLarge {
        /// Pixels from left to right.
        width: f32,
        /// Pixels from top to bottom.
        height: f32,
    },
    /// The drawing was not understood by the renderer.
    NotRendered {
        /// The error of the renderer.
        source: resvg::usvg::Error,
    },
    /// The pixels could not be compressed.
    NotEncoded {
        /// The error of the encoder.
        reason: String,
    },
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PngError::TooLarge { width, height } => {
                let limit = Size::SIDE_MAX;
                write!(
                    f,
                    "a picture of {width} x {height} pixels is too large (at most {limit} each)"
                )
            }
            PngError::NotRendered { .. } => f.write_str("the drawing could not be rendered"),
            PngError::NotEncoded { reason } => {
                write!(f, "the picture could not be compressed: {reason}")
            }
        }
    }
}

impl std::error::Error for PngError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PngError::NotRendered { source } => Some(source),
            _ => None,
        }
    }
}

/// Draws a figure as PNG; `scale` 2 gives twice the pixels in each direction, for sharp print.
///
/// # Errors
/// If the picture would be too large.
pub fn png(figure: &Figure, size: Size, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree = Tree::from_str(&svg(figure, size), &options())
        .map_err(|source| PngError::NotRendered { source })?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let mut pixels = pixmap(width.ceil(), height.ceil())?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::NotEncoded { reason: error.to_string() })
}

fn pixmap(width: f32, height: f32) -> Result<Pixmap, PngError> {
    let limit = Size::SIDE_MAX as f32;
    let too_large = || PngError::TooLarge { width, height };
    if !(1.0..=limit).contains(&width) || !(1.0..=limit).contains(&height) {
        return Err(too_large());
    }
    Pixmap::new(width as u32, height as u32).ok_or_else(too_large)
}

/// Only the embedded font is known: what is installed on a machine must not change a picture.
fn options() -> Options<'static> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Options { fontdb: Arc::new(fonts), ..Options::default() }
}
