#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| consort_equations::fuzz::model(data));
