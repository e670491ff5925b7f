#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| consort_check::property::fuzz::property(data));
