//! Which run a node takes part in.

/// A run of its own: nodes of another are not mistaken for one of this.
pub type RunId = [u8; 16];

/// As it is typed: 32 hexadecimal digits.
pub fn id_text(id: RunId) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

/// The id of that text; nothing if it is not an id.
pub fn id_from_text(text: &str) -> Option<RunId> {
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_and_read() {
        assert_eq!(id_text([1; 16]), "01".repeat(16));
        assert_eq!(id_from_text(&id_text([9; 16])), Some([9; 16]));
        assert_eq!(id_from_text("x"), None);
    }
}
