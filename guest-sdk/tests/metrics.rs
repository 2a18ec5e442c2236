//! The metrics against scores recorded from the libraries whose meaning they keep, and against what must hold for any
//! input.

use podium_grader::Failure;
use podium_grader::frame::{Cell, Column, Matrix, Role, Values};
use podium_grader::metrics::{self, Average, ConfusionCounts, LabelSets, RocCurve, Vocabulary};
use proptest::prelude::*;

/// See the head of the file for its format.
const RECORDED: &str = include_str!("metrics/recorded.tsv");

#[test]
fn scores_are_those_recorded() {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in RECORDED.lines().filter(|line| !line.starts_with('#')) {
        let (case, expected) = line.rsplit_once('\t').expect("a score at the end");
        let found = score(case);
        let agrees = match (&found, expected) {
            (Err(_), "error") => true,
            (Ok(found), expected) if expected != "error" => {
                agree(*found, expected.parse().expect("a recorded score is a float"))
            }
            _ => false,
        };
        if !agrees {
            wrong.push(format!("{case}\n  expected {expected}, found {found:?}"));
        }
        cases += 1;
    }
    assert!(cases > 500, "only {cases} cases were read");
    assert!(wrong.is_empty(), "{} of {cases} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Equal up to the last digits, in which logarithms differ between C libraries.
fn agree(found: f64, expected: f64) -> bool {
    found == expected
        || (found.is_nan() && expected.is_nan())
        || (found - expected).abs() <= 1e-13 * expected.abs().max(1e-2)
}

/// Calls the metric that a case names.
fn score(case: &str) -> Result<f64, Failure> {
    let fields: Vec<&str> = case.split('\t').collect();
    if let Some(average) = fields[0].strip_prefix("label_sets_") {
        return score_label_sets(average, fields[1], fields[2], fields[3]);
    }
    if let Ok(width) = fields[1].parse::<usize>() {
        return score_matrices(fields[0], &fields[2..2 + width], &fields[2 + width..]);
    }
    let truth = column(fields[1], Role::Answers);
    let prediction = column(fields[2], Role::Submission);
    match fields[0] {
        "accuracy" => metrics::accuracy(&truth, &prediction),
        "average_precision" => {
            let positive: Vec<bool> = truth.cells().map(|cell| cell.equals(Cell::Int(1))).collect();
            metrics::average_precision(&positive, &prediction.to_f64()?)
                .ok_or_else(|| Failure::submission("a score is not finite"))
        }
        "roc_auc" => metrics::roc_auc(&truth, &prediction),
        "roc_curve" => metrics::roc_curve(&truth, &prediction).map(|curve| fingerprint(&curve)),
        "area_under_curve" => metrics::roc_curve(&truth, &prediction).map(|curve| {
            metrics::area_under_curve(&curve.false_positive_rates, &curve.true_positive_rates)
                .expect("a ROC curve never turns back")
        }),
        "quadratic_kappa" => metrics::quadratic_kappa(&truth, &prediction),
        "matthews" => metrics::matthews(&truth, &prediction),
        "f_beta_micro" => metrics::f_beta(&truth, &prediction, 1.0, Average::Micro),
        "f_beta_macro" => metrics::f_beta(&truth, &prediction, 1.0, Average::Macro),
        "f_beta_weighted" => metrics::f_beta(&truth, &prediction, 1.0, Average::Weighted),
        "f_beta_binary" => metrics::f_beta_binary(&truth, &prediction, 0.5),
        "mean_absolute_error" => metrics::mean_absolute_error(&truth, &prediction),
        "mean_squared_error" => metrics::mean_squared_error(&truth, &prediction),
        "root_mean_squared_error" => metrics::root_mean_squared_error(&truth, &prediction),
        "root_mean_squared_log_error" => metrics::root_mean_squared_log_error(&truth, &prediction),
        "r2" => metrics::r2(&truth, &prediction),
        "log_loss" => metrics::log_loss(&truth, &prediction),
        "pearson" => metrics::pearson(&truth, &prediction),
        "spearman" => metrics::spearman(&prediction, &truth),
        "probabilistic_f_beta" => {
            metrics::probabilistic_f_beta(&truth, &prediction, 1.0).map(|score| score.value)
        }
        "quantile" => Ok(metrics::numeric::quantile(&prediction.to_f64()?, truth.to_f64()?[0])),
        other => panic!("no metric is called {other}"),
    }
}

fn score_matrices(metric: &str, truth: &[&str], prediction: &[&str]) -> Result<f64, Failure> {
    let columns =
        |texts: &[&str], role| texts.iter().map(|text| column(text, role)).collect::<Vec<_>>();
    let (truth, prediction) =
        (columns(truth, Role::Answers), columns(prediction, Role::Submission));
    let matrix = |columns: &[Column]| Matrix::from_columns(&columns.iter().collect::<Vec<_>>());
    match metric {
        "roc_auc_by_column" => metrics::roc_auc_by_column(&matrix(&truth), &matrix(&prediction))
            .map(|areas| metrics::numeric::mean(&areas)),
        "log_loss_indicator" => metrics::log_loss_indicator(&matrix(&truth), &matrix(&prediction)),
        "log_loss_multiclass" => metrics::log_loss_multiclass(&truth[0], &matrix(&prediction)),
        "kullback_leibler" => {
            let truth = truth
                .iter()
                .map(|column| column.to_f64().map(|values| values.to_vec()))
                .collect::<Result<Vec<_>, _>>()?;
            metrics::kullback_leibler(&truth, &prediction.iter().collect::<Vec<_>>())
        }
        other => panic!("no metric of several columns is called {other}"),
    }
}

fn score_label_sets(
    metric: &str,
    vocabulary: &str,
    truth: &str,
    prediction: &str,
) -> Result<f64, Failure> {
    let words = |text: &'static str| text.split(' ').filter(|word| !word.is_empty());
    // The table lives as long as the program, but what it is handed over as does not.
    let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    let vocabulary: Vocabulary<'_> = words(leak(vocabulary)).collect();
    let sets = |rows: &str| {
        let mut sets = LabelSets::new();
        rows.split('|').for_each(|row| sets.push(&vocabulary, words(leak(row))));
        sets
    };
    let (truth, prediction) = (sets(truth), sets(prediction));
    let (metric, average) = metric.rsplit_once('_').expect("a metric and an average");
    let average = match average {
        "micro" => Average::Micro,
        "macro" => Average::Macro,
        "weighted" => Average::Weighted,
        "samples" => Average::Samples,
        other => panic!("no average is called {other}"),
    };
    match metric {
        "f_beta" => metrics::label_sets::f_beta(&vocabulary, &truth, &prediction, 1.0, average),
        "jaccard" => metrics::label_sets::jaccard(&vocabulary, &truth, &prediction, average),
        other => panic!("no metric of label sets is called {other}"),
    }
}

fn fingerprint(curve: &RocCurve) -> f64 {
    let rates = curve.false_positive_rates.iter().chain(&curve.true_positive_rates);
    (1..).zip(rates).map(|(place, rate)| rate * f64::from(place)).sum()
}

/// A column as the table writes it.
fn column(text: &str, role: Role) -> Column {
    fn parsed<T: std::str::FromStr>(cells: &[&str]) -> Vec<T> {
        cells.iter().map(|cell| parse(cell)).collect()
    }
    fn parse<T: std::str::FromStr>(cell: &str) -> T {
        cell.parse()
            .unwrap_or_else(|_| panic!("the table has a cell that does not fit its column: {cell}"))
    }
    let (dtype, cells) = text.split_once(':').expect("a type and cells");
    let cells: Vec<&str> = cells.split('|').skip(1).collect();
    let values = match dtype {
        "int64" => Values::Int64(parsed(&cells)),
        "uint64" => Values::UInt64(parsed(&cells)),
        "float64" => Values::Float64(parsed(&cells)),
        "bool" => Values::Bool(cells.iter().map(|cell| *cell == "True").collect()),
        "object" => Values::Object(
            cells
                .iter()
                .map(|cell| match cell.split_at(1) {
                    ("t", text) => Cell::Text(text),
                    ("i", value) => Cell::Int(parse(value)),
                    ("u", value) => Cell::UInt(parse(value)),
                    ("f", value) => Cell::Float(parse(value)),
                    ("b", value) => Cell::Bool(value == "True"),
                    ("n", "") => Cell::Missing,
                    _ => panic!("the table has a cell of no type: {cell}"),
                })
                .collect(),
        ),
        other => panic!("no column is of type {other}"),
    };
    Column::new("value", role, values)
}

fn integers(role: Role, values: &[i64]) -> Column {
    Column::new("label", role, Values::Int64(values.to_vec()))
}

fn floats(role: Role, values: &[f64]) -> Column {
    Column::new("score", role, Values::Float64(values.to_vec()))
}

/// Rows of a true label, a predicted label and a score.
fn rows() -> impl Strategy<Value = Vec<(i64, i64, f64)>> {
    prop::collection::vec(
        (0..4_i64, 0..4_i64, (0..50_i32).prop_map(|tenth| f64::from(tenth) / 50.0)),
        2..60,
    )
}

fn parts(rows: &[(i64, i64, f64)]) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
    (
        rows.iter().map(|row| row.0).collect(),
        rows.iter().map(|row| row.1).collect(),
        rows.iter().map(|row| row.2).collect(),
    )
}

proptest! {
    #[test]
    fn the_order_of_rows_does_not_matter(rows in rows(), turn in 0..60_usize) {
        let (truth, prediction, scores) = parts(&rows);
        let mut turned = rows.clone();
        turned.rotate_left(turn % rows.len());
        let (turned_truth, turned_prediction, turned_scores) = parts(&turned);
        let labels = |truth: &[i64], prediction: &[i64]| {
            let (truth, prediction) = (integers(Role::Answers, truth), integers(Role::Submission, prediction));
            [
                metrics::accuracy(&truth, &prediction),
                metrics::f_beta(&truth, &prediction, 1.0, Average::Macro),
                metrics::matthews(&truth, &prediction),
            ]
            .map(|score| score.map(f64::to_bits))
        };
        prop_assert_eq!(labels(&truth, &prediction), labels(&turned_truth, &turned_prediction));
        let binary = |truth: &[i64]| truth.iter().map(|label| i64::from(*label > 1)).collect::<Vec<_>>();
        let auc = |truth: &[i64], scores: &[f64]| {
            metrics::roc_auc(&integers(Role::Answers, &binary(truth)), &floats(Role::Submission, scores))
        };
        prop_assert_eq!(auc(&truth, &scores), auc(&turned_truth, &turned_scores));
    }

    #[test]
    fn roc_auc_counts_pairs_in_order(rows in rows()) {
        let (truth, _, scores) = parts(&rows);
        let truth: Vec<i64> = truth.iter().map(|label| label % 2).collect();
        let scored = |wanted: i64| {
            let pairs = truth.iter().zip(&scores);
            pairs.filter(|(label, _)| **label == wanted).map(|(_, score)| *score).collect::<Vec<_>>()
        };
        let (positives, negatives) = (scored(1), scored(0));
        let found = metrics::roc_auc(&integers(Role::Answers, &truth), &floats(Role::Submission, &scores));
        if positives.is_empty() || negatives.is_empty() {
            prop_assert!(found.is_err());
            return Ok(());
        }
        let mut won = 0.0;
        for positive in &positives {
            for negative in &negatives {
                won += if positive > negative { 1.0 } else if positive == negative { 0.5 } else { 0.0 };
            }
        }
        let expected = won / (positives.len() * negatives.len()) as f64;
        prop_assert!((found.clone()? - expected).abs() < 1e-12);
        // Any rising function of the scores gives the same, and the negated scores what is left.
        let risen: Vec<f64> = scores.iter().map(|score| score.exp() * 7.0 - 100.0).collect();
        let negated: Vec<f64> = scores.iter().map(|score| -score).collect();
        let truth = integers(Role::Answers, &truth);
        prop_assert_eq!(metrics::roc_auc(&truth, &floats(Role::Submission, &risen)), found.clone());
        let rest = metrics::roc_auc(&truth, &floats(Role::Submission, &negated))?;
        prop_assert!((rest + found? - 1.0).abs() < 1e-12);
    }

    #[test]
    fn scores_stay_within_their_bounds(rows in rows()) {
        let (truth, prediction, scores) = parts(&rows);
        let (truth, prediction) = (integers(Role::Answers, &truth), integers(Role::Submission, &prediction));
        for average in [Average::Micro, Average::Macro, Average::Weighted] {
            let found = metrics::f_beta(&truth, &prediction, 1.0, average)?;
            prop_assert!((0.0..=1.0).contains(&found), "{average:?}: {found}");
        }
        let accuracy = metrics::accuracy(&truth, &prediction)?;
        prop_assert_eq!(metrics::f_beta(&truth, &prediction, 1.0, Average::Micro)?, accuracy);
        prop_assert!((-1.0 - 1e-12..=1.0 + 1e-12).contains(&metrics::matthews(&truth, &prediction)?));
        let kappa = metrics::quadratic_kappa(&truth, &prediction)?;
        prop_assert!(kappa.is_nan() || kappa <= 1.0 + 1e-12);
        let scores = floats(Role::Submission, &scores);
        for correlation in [metrics::pearson(&truth, &scores)?, metrics::spearman(&scores, &truth)?] {
            prop_assert!(correlation.is_nan() || (-1.0..=1.0).contains(&correlation));
        }
        let (absolute, root) =
            (metrics::mean_absolute_error(&truth, &scores)?, metrics::root_mean_squared_error(&truth, &scores)?);
        prop_assert!(0.0 <= absolute && absolute <= root + 1e-12);
    }

    #[test]
    fn losses_of_labels_make_up_the_log_loss(rows in rows()) {
        let (truth, _, scores) = parts(&rows);
        let is = |wanted: i64| truth.iter().map(|label| i64::from((*label > 1) == (wanted == 1))).collect::<Vec<_>>();
        let indicators = [integers(Role::Answers, &is(0)), integers(Role::Answers, &is(1))];
        let rest: Vec<f64> = scores.iter().map(|score| 1.0 - score).collect();
        let probabilities = [floats(Role::Submission, &rest), floats(Role::Submission, &scores)];
        let truth = Matrix::from_columns(&indicators.iter().collect::<Vec<_>>());
        let probabilities = Matrix::from_columns(&probabilities.iter().collect::<Vec<_>>());
        let whole = metrics::log_loss_indicator(&truth, &probabilities)?;
        let by_label = metrics::log_loss_by_label(&truth, &probabilities)?;
        let mut total = 0.0;
        for (label, loss) in (0..).zip(by_label) {
            let count = is(label).iter().sum::<i64>();
            prop_assert_eq!(loss.is_nan(), count == 0);
            total += if count == 0 { 0.0 } else { loss * count as f64 };
        }
        prop_assert!((total / rows.len() as f64 - whole).abs() <= 1e-12 * whole.max(1.0));
    }

    #[test]
    fn counts_of_label_sets_give_the_micro_average(
        rows in prop::collection::vec(("[a-e ]{0,9}", "[a-g ]{0,9}"), 1..20)
    ) {
        let words = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let letters: Vec<String> = words("abcde");
        let vocabulary: Vocabulary<'_> = letters.iter().map(String::as_str).collect();
        let (mut truth, mut prediction) = (LabelSets::new(), LabelSets::new());
        for (actual, predicted) in &rows {
            truth.push(&vocabulary, words(actual).iter().map(String::as_str));
            prediction.push(&vocabulary, words(predicted).iter().map(String::as_str));
        }
        let by_label = metrics::label_sets::confusion_by_label(&vocabulary, &truth, &prediction);
        prop_assert_eq!(by_label.len(), vocabulary.len());
        let counts = by_label.into_iter().fold(ConfusionCounts::default(), ConfusionCounts::and);
        prop_assert!(counts.true_positives <= counts.predicted.min(counts.actual));
        let micro = metrics::label_sets::f_beta(&vocabulary, &truth, &prediction, 1.0, Average::Micro)?;
        prop_assert_eq!(micro, counts.f_beta(1.0));
    }

    #[test]
    fn what_labels_are_called_does_not_matter(rows in rows()) {
        let (truth, prediction, _) = parts(&rows);
        let named = |role, labels: &[i64]| {
            let names: Vec<String> = labels.iter().map(|label| format!("label {label}")).collect();
            Column::new("label", role, Values::Object(names.iter().map(|name| Cell::Text(name)).collect()))
        };
        let spread = |role, labels: &[i64]| {
            integers(role, &labels.iter().map(|label| label * 1_000_000_007 - 5).collect::<Vec<_>>())
        };
        let scores = |truth: &Column, prediction: &Column| {
            [
                metrics::accuracy(truth, prediction),
                metrics::f_beta(truth, prediction, 2.0, Average::Macro),
                metrics::matthews(truth, prediction),
                metrics::quadratic_kappa(truth, prediction),
            ]
            .map(|score| score.map(f64::to_bits))
        };
        let numbers = scores(&integers(Role::Answers, &truth), &integers(Role::Submission, &prediction));
        prop_assert_eq!(&scores(&named(Role::Answers, &truth), &named(Role::Submission, &prediction)), &numbers);
        prop_assert_eq!(&scores(&spread(Role::Answers, &truth), &spread(Role::Submission, &prediction)), &numbers);
    }
}

#[test]
fn failures_say_where_and_keep_the_answers_secret() {
    let objects = |role, cells: &[Cell<'_>]| {
        Column::new("species", role, Values::Object(cells.iter().copied().collect()))
    };
    let secret =
        objects(Role::Answers, &[Cell::Text("secret"), Cell::Text("hidden"), Cell::Text("third")]);
    let numbers = integers(Role::Answers, &[987_654, 123_456, 987_654]);
    let cases: [(&str, Result<f64, Failure>, &str); 9] = [
        (
            "a cell among texts",
            metrics::accuracy(
                &secret,
                &objects(Role::Submission, &[Cell::Text("a"), Cell::Missing, Cell::Text("b")]),
            ),
            "column `species`, row 2: expected a label, found an empty cell (or a word such as NaN or NA, which is read as one)",
        ),
        (
            "a fraction as a label",
            metrics::f_beta(
                &numbers,
                &floats(Role::Submission, &[1.0, 2.0, 2.5]),
                1.0,
                Average::Macro,
            ),
            "column `score`, row 3: expected a label (a whole number), found 2.5",
        ),
        (
            "text for numbers",
            metrics::matthews(&numbers, &objects(Role::Submission, &[Cell::Text("a"); 3])),
            "column `species`, row 1: expected integers as labels, found `a`, which makes text of the whole column",
        ),
        (
            "too few rows",
            metrics::accuracy(&numbers, &integers(Role::Submission, &[1, 2])),
            "column `label`: expected 3 rows, found 2",
        ),
        (
            "a missing score",
            metrics::roc_auc(&numbers, &floats(Role::Submission, &[0.5, f64::NAN, 0.1])),
            "column `score`, row 2: expected a finite number, found an empty cell (or a word such as NaN or NA, which is read as one)",
        ),
        (
            "a negative value under a logarithm",
            metrics::root_mean_squared_log_error(
                &numbers,
                &floats(Role::Submission, &[0.5, 0.1, -3.0]),
            ),
            "column `score`, row 3: expected a number of at least 0, found -3.0",
        ),
        (
            "a text among numbers to rank",
            metrics::spearman(
                &objects(Role::Submission, &[Cell::Int(1), Cell::Text("x"), Cell::Int(2)]),
                &numbers,
            ),
            "column `species`, row 2: `x` cannot be ranked among the other values of this column",
        ),
        (
            "objects for numbers",
            metrics::pearson(&numbers, &objects(Role::Submission, &[Cell::Text("a"); 3])),
            "column `species`, row 1: expected a number, found `a`",
        ),
        (
            "negative probabilities",
            metrics::probabilistic_f_beta(&numbers, &floats(Role::Submission, &[-1.0; 3]), 1.0)
                .map(|score| score.value),
            "column `score`: every prediction is negative; expected probabilities",
        ),
    ];
    for (case, found, expected) in cases {
        assert_eq!(found, Err(Failure::submission(expected)), "{case}");
    }

    let scores = floats(Role::Submission, &[0.5, 0.25, 0.1]);
    for truth in [
        &secret,
        &integers(Role::Answers, &[987_654; 3]),
        &floats(Role::Answers, &[987_654.5, 1.0, 2.0]),
        &floats(Role::Answers, &[987_654.0, f64::NAN, 2.0]),
        &objects(Role::Answers, &[Cell::Text("secret"), Cell::Int(987_654), Cell::Missing]),
    ] {
        let failure = metrics::roc_auc(truth, &scores).expect_err("no two labels");
        assert!(matches!(failure, Failure::InvalidAnswers(_)), "{failure}");
        assert!(!failure.message().contains("987"), "{failure}");
        assert!(!failure.message().contains("secret"), "{failure}");
    }
}

#[test]
fn lists_of_integers_become_arrays_as_numpy_makes_them() {
    let large = 1_i128 << 63;
    let dtype = |labels: &[i128]| {
        metrics::integer_labels("label", Role::Submission, labels)
            .map(|column| format!("{:?}", column.dtype()))
    };
    for (labels, expected) in [
        (vec![1, -2], "Int64"),
        (vec![], "Int64"),
        (vec![large], "UInt64"),
        (vec![large, large + 1], "UInt64"),
        (vec![1, large], "Float64"),
        (vec![-1, large], "Float64"),
    ] {
        assert_eq!(dtype(&labels).as_deref(), Ok(expected), "{labels:?}");
    }
    assert!(dtype(&[1, 1 << 64]).is_err());
    assert!(dtype(&[-large - 1]).is_err());
}
