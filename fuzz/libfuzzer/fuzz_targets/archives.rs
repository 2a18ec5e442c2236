#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| podium_fuzz::archives(bytes));
