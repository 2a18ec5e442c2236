//! Rules that whole families of competitions share: which columns have to be there, how rows are matched, what is
//! checked before the metric. A grader of such a family names its columns and nothing else.

pub mod accuracy;
pub mod log_loss;
pub mod probabilities;
pub mod roc_auc;
