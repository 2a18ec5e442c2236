//! Whole behaviours of Podium, tested through its real parts.
