//! Grades machine-learning competition submissions with sandboxed WebAssembly graders.
