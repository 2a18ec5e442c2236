//! Rules that whole families of competitions share: which columns have to be there, how rows are matched, what is
//! checked before the metric, which measures come with the score. A grader of such a family names its columns and
//! nothing else.

pub mod accuracy;
mod class_numbers;
pub mod classes;
pub mod label_sets;
pub mod log_loss;
pub mod macro_f1;
pub mod map_at_k;
pub mod probabilities;
pub mod regression;
pub mod roc_auc;

pub use class_numbers::class_numbers;
