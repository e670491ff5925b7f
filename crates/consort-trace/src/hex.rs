//! Bytes as hexadecimal digits: how binary values stand in text.

/// The bytes that `text` writes; `None` if it is not pairs of hexadecimal digits.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().iter().map(|&digit| char::from(digit).to_digit(16));
    let digits: Vec<u32> = digits.collect::<Option<_>>()?;
    let pairs = digits.as_chunks::<2>();
    pairs.1.is_empty().then(|| pairs.0.iter().map(|[high, low]| (high << 4 | low) as u8).collect())
}
