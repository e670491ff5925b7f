//! Files that models are made from: their hashes, and the folder where what is made of them is kept.

pub(crate) mod cache;
pub(crate) mod input_file;
