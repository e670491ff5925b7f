#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| consort_property::fuzz::property(data));
