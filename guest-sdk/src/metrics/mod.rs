//! What scores are made of, with the argument checks of scikit-learn 1.5.2, scipy 1.14.1 and numpy 1.26.4.
//!
//! Functions take the columns of the submission and of the answers as the original takes its arrays, so the type that
//! pandas inferred for a column (integers, floats, truth values, objects) decides as it does there. Whatever makes the
//! original raise is a [`Failure`](crate::Failure) of the side at fault, with the column and, where there is one, the
//! row; whatever the original scores is scored the same. A NaN result is a score that is not defined, not a failure.
//!
//! - one label a row: [`accuracy()`], [`f_beta()`], [`f_beta_binary`], [`matthews()`], [`quadratic_kappa`]; of each
//!   label: [`recall_by_label`], [`confusion_by_label`];
//! - several labels a row: [`label_sets`], [`jaccard`];
//! - probabilities: [`log_loss()`], [`log_loss_multiclass`], [`log_loss_indicator`], [`kullback_leibler`],
//!   [`probabilistic_f_beta()`];
//! - scores that rank rows: [`roc_auc`], [`roc_auc_by_column`], [`roc_curve`], [`average_precision()`];
//! - guesses and orders: [`ranking`]; sequences: [`levenshtein`]; places on the globe: [`haversine`];
//! - angles: [`sin_cos`], [`sines_and_cosines_roughly`], [`arc_cosines`];
//! - numbers: [`mean_absolute_error`], [`mean_error`], [`root_mean_squared_error`], [`root_mean_squared_log_error`], [`r2`];
//! - correlation: [`pearson`], [`spearman`];
//! - what numbers have to be: [`require_finite_numbers`];
//! - sums, means and quantiles in numpy's order of additions: [`numeric`].

mod accuracy;
mod arc_cosine;
mod average_precision;
mod correlation;
mod divergence;
mod f_beta;
pub mod haversine;
pub mod jaccard;
mod kappa;
pub mod label_sets;
mod labels;
pub mod levenshtein;
mod log_loss;
mod matthews;
mod numbers;
pub mod numeric;
mod probabilistic_f_beta;
pub mod ranking;
mod regression;
mod roc;
mod sine;

pub use accuracy::{LabelRecall, accuracy, recall_by_label, right_rows};
pub use arc_cosine::arc_cosines;
pub use average_precision::average_precision;
pub use correlation::{pearson, spearman};
pub use divergence::kullback_leibler;
pub use f_beta::{
    Average, ConfusionCounts, LabelCounts, confusion_by_label, f_beta, f_beta_binary,
    f_beta_of_labels,
};
pub use kappa::quadratic_kappa;
pub use label_sets::{LabelSets, Vocabulary};
pub use labels::{integer_labels, listed_labels};
pub use log_loss::{
    log_loss, log_loss_by_label, log_loss_indicator, log_loss_multiclass, log_loss_of_both,
};
pub use matthews::matthews;
pub use numbers::require_finite_numbers;
pub use probabilistic_f_beta::{ProbabilisticFBeta, probabilistic_f_beta};
pub use regression::{
    mean_absolute_error, mean_error, mean_squared_error, r2, root_mean_squared_error,
    root_mean_squared_log_error,
};
pub use roc::{RocCurve, area_under_curve, roc_auc, roc_auc_by_column, roc_curve};
pub use sine::{sin_cos, sines_and_cosines_roughly};
