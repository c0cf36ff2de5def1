#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    switchlab_fuzz::once("tables", input);
});
