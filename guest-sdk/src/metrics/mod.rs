//! What scores are made of, with the argument checks of scikit-learn 1.5.2, scipy 1.14.1 and numpy 1.26.4.
//!
//! Functions take the columns of the submission and of the answers as the original takes its arrays, so the type that
//! pandas inferred for a column (integers, floats, truth values, objects) decides as it does there. Whatever makes the
//! original raise is a [`Failure`](crate::Failure) of the side at fault, with the column and, where there is one, the
//! row; whatever the original scores is scored the same. A NaN result is a score that is not defined, not a failure.
//!
//! - classification: [`accuracy`], [`f_beta`], [`matthews`], [`kappa`], [`log_loss`], [`probabilistic_f_beta`];
//! - ranking: [`roc`], [`average_precision`], [`ranking`]; sequences: [`levenshtein`];
//! - overlap of sets: [`jaccard`]; places on the globe: [`haversine`];
//! - several labels a row: [`label_sets`];
//! - regression: [`regression`]; correlation: [`correlation`]; divergence: [`divergence`];
//! - sums, means and quantiles in numpy's order of additions: [`numeric`].

pub mod accuracy;
pub mod average_precision;
pub mod correlation;
pub mod divergence;
pub mod f_beta;
pub mod haversine;
pub mod jaccard;
pub mod kappa;
pub mod label_sets;
mod labels;
pub mod levenshtein;
pub mod log_loss;
pub mod matthews;
mod numbers;
pub mod numeric;
pub mod probabilistic_f_beta;
pub mod ranking;
pub mod regression;
pub mod roc;

pub use accuracy::accuracy;
pub use average_precision::average_precision;
pub use correlation::{pearson, spearman};
pub use f_beta::{Average, ConfusionCounts, f_beta, f_beta_binary};
pub use kappa::quadratic_kappa;
pub use label_sets::{LabelSets, Vocabulary};
pub use labels::integer_labels;
pub use log_loss::{log_loss, log_loss_indicator, log_loss_multiclass};
pub use matthews::matthews;
pub use probabilistic_f_beta::probabilistic_f_beta;
pub use regression::{
    mean_absolute_error, mean_squared_error, r2, root_mean_squared_error, root_mean_squared_log_error,
};
pub use roc::{RocCurve, area_under_curve, roc_auc, roc_auc_by_column, roc_curve};
