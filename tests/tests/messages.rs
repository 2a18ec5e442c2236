//! What whoever made a bad submission is told, and that it tells nothing of the answers.
//!
//! The table `messages.toml` beside this file holds, for one competition of each kind of metric, what is said of every
//! kind of mistake. The mistakes are made in the example's submission `good`; where one is none to a competition, the
//! table says `scored`. When a message changes, the test writes the whole table as it is now to
//! `target/messages.toml`, to be read before it takes the other's place.

use std::collections::BTreeMap;
use std::fs;

use podium::{
    Catalog, Engine, EngineSettings, Example, Grader, Input, LimitOverrides, Limits, Verdict,
};
use podium_tests::artifacts;
use podium_tests::examples;
use podium_tests::parity::{Corpus, Expected};

/// A competition of the table.
struct Subject {
    id: &'static str,
    /// What else can be wrong with a cell of its last column, besides [`CELLS`]: the name of the mistake, and the cell.
    cells: &'static [(&'static str, &'static str)],
}

const MASKS: &[(&str, &str)] = &[
    ("run that is cut short", "1 2 3 4 5"),
    ("runs out of order", "9 1 3 1"),
    ("runs that overlap", "1 5 3 1"),
    ("run from pixel 0", "0 5"),
    ("run of negative length", "1 -5"),
];

const SUBJECTS: &[Subject] = &[
    // Accuracy of truth values, of numbers, of texts.
    Subject { id: "spaceship-titanic", cells: &[] },
    Subject { id: "cassava-leaf-disease-classification", cells: &[] },
    Subject { id: "text-normalization-challenge-english-language", cells: &[] },
    // Area under the ROC curve, of one column and of several.
    Subject { id: "aerial-cactus-identification", cells: &[] },
    Subject { id: "ranzcr-clip-catheter-line-classification", cells: &[] },
    // Log loss, of one column and of a distribution.
    Subject { id: "dogs-vs-cats-redux-kernels-edition", cells: &[] },
    Subject { id: "spooky-author-identification", cells: &[] },
    // Errors of numbers, within bounds and in the file's order.
    Subject { id: "petfinder-pawpularity-score", cells: &[] },
    Subject { id: "nomad2018-predict-transparent-conductors", cells: &[] },
    // Kappa, Matthews correlation, Pearson correlation.
    Subject { id: "aptos2019-blindness-detection", cells: &[] },
    Subject { id: "nfl-player-contact-detection", cells: &[] },
    Subject { id: "us-patent-phrase-to-phrase-matching", cells: &[] },
    // Macro-averaged F1; several labels a row.
    Subject { id: "herbarium-2020-fgvc7", cells: &[] },
    Subject { id: "imet-2020-fgvc7", cells: &[] },
    // Guesses; orders.
    Subject { id: "whale-categorization-playground", cells: &[] },
    Subject { id: "AI4Code", cells: &[("cell of another notebook", "ffffffff")] },
    // Texts and sequences.
    Subject { id: "chaii-hindi-and-tamil-question-answering", cells: &[] },
    Subject { id: "multi-modal-gesture-recognition", cells: &[("fraction", "3 4.5")] },
    // Masks.
    Subject { id: "tgs-salt-identification-challenge", cells: MASKS },
    Subject { id: "hubmap-kidney-segmentation", cells: MASKS },
    // Points and boxes.
    Subject {
        id: "kuzushiji-recognition",
        cells: &[("coordinate too few", "U+3066 10"), ("no coordinate", "U+3066 10 left")],
    },
    Subject {
        id: "vinbigdata-chest-xray-abnormalities-detection",
        cells: &[
            ("corner too few", "3 0.9 10 10 20"),
            ("no corner", "3 0.9 10 10 20 right"),
            ("class that is infinite", "inf 0.9 10 10 20 20"),
            ("two spaces", "3 0.9  10 10 20 20"),
        ],
    },
    Subject {
        id: "3d-object-detection-for-autonomous-vehicles",
        cells: &[
            ("number too few", "0.9 1 2 3 4 5 6 car"),
            ("no number", "0.9 1 2 3 4 5 long 0 car"),
            ("yaw that is infinite", "0.9 1 2 3 4 5 6 inf car"),
        ],
    },
    // Answers as lines of JSON.
    Subject {
        id: "tensorflow2-question-answering",
        cells: &[("yes in lower case", "yes"), ("two spans", "1:2:3"), ("fractions", "1.0:2.0")],
    },
];

/// What is put into a cell of the last column, in the third row.
const CELLS: &[(&str, &str)] = &[
    ("empty cell", ""),
    ("cell NaN", "NaN"),
    ("cell of text", "nonsense"),
    ("cell 1.5", "1.5"),
    ("cell -1", "-1"),
    ("cell inf", "inf"),
    ("cell True", "True"),
];

/// The row of [`CELLS`].
const CHANGED_ROW: usize = 2;

/// A submission as fields, the header first.
type Rows = Vec<Vec<String>>;

fn parse(bytes: &[u8]) -> Rows {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn write_with(rows: &Rows, separator: u8) -> Vec<u8> {
    let mut writer =
        csv::WriterBuilder::new().delimiter(separator).flexible(true).from_writer(Vec::new());
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

fn write(rows: &Rows) -> Vec<u8> {
    write_with(rows, b',')
}

/// Every mistake that can be made in a submission, by name.
fn mistakes(good: &Rows, id_place: usize, subject: &Subject) -> Vec<(String, Vec<u8>)> {
    let last = good[0].len() - 1;
    let change = |change: &dyn Fn(&mut Rows)| {
        let mut rows = good.clone();
        change(&mut rows);
        rows
    };
    let mut mistakes = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| mistakes.push((name.to_owned(), bytes));

    add("empty file", Vec::new());
    add("header alone", write(&good[..1].to_vec()));
    add("no header", write(&good[1..].to_vec()));
    add("semicolons", write_with(good, b';'));
    add("tabs", write_with(good, b'\t'));
    add("Latin-1", [b"\xE9\xE8".as_slice(), &write(good)].concat());
    add("UTF-16", [b"\xFF\xFE".as_slice(), &write(good)].concat());
    add("gzip", [b"\x1F\x8B\x08".as_slice(), &write(good)].concat());
    add("quote that stays open", [write(good).as_slice(), b"\"x"].concat());

    add(
        "missing column",
        write(&change(&|rows| {
            rows.iter_mut().for_each(|row| {
                row.pop();
            })
        })),
    );
    add(
        "misspelt column",
        write(&change(&|rows| {
            rows[0][last] = format!(" {}", rows[0][last].to_uppercase());
        })),
    );
    add(
        "missing id column",
        write(&change(&|rows| {
            rows.iter_mut().for_each(|row| {
                row.remove(id_place);
            })
        })),
    );
    add(
        "extra column",
        write(&change(&|rows| {
            rows.iter_mut().enumerate().for_each(|(place, row)| {
                row.push(if place == 0 { "note" } else { "x" }.to_owned());
            })
        })),
    );

    add("extra field in the first row", write(&change(&|rows| rows[1].push("x".to_owned()))));
    add(
        "extra field in all rows",
        write(&change(&|rows| {
            rows[1..].iter_mut().for_each(|row| {
                row.push("x".to_owned());
            })
        })),
    );
    add("extra field in another row", write(&change(&|rows| rows[3].push("x".to_owned()))));
    add(
        "row that ends early",
        write(&change(&|rows| {
            rows[3].pop();
        })),
    );

    add(
        "missing row",
        write(&change(&|rows| {
            rows.pop();
        })),
    );
    add(
        "extra row",
        write(&change(&|rows| {
            let mut row = rows[1].clone();
            row[id_place] = "nobody".to_owned();
            rows.push(row);
        })),
    );
    add("repeated row", write(&change(&|rows| rows.push(rows[1].clone()))));
    add("repeated id", write(&change(&|rows| rows[2][id_place] = rows[1][id_place].clone())));
    add("wrong id", write(&change(&|rows| rows[2][id_place] = "nobody".to_owned())));
    add("empty id", write(&change(&|rows| rows[2][id_place] = String::new())));

    for (name, cell) in CELLS.iter().chain(subject.cells) {
        add(name, write(&change(&|rows| rows[1 + CHANGED_ROW][last] = (*cell).to_owned())));
    }
    add(
        "column of the number 7",
        write(&change(&|rows| {
            rows[1..].iter_mut().for_each(|row| {
                row[last] = "7".to_owned();
            })
        })),
    );
    mistakes
}

/// Built graders, and how they are run.
struct Graders {
    engine: Engine,
    catalog: Catalog,
}

impl Graders {
    fn new() -> Graders {
        Graders {
            engine: Engine::new(EngineSettings::default()).unwrap(),
            catalog: examples::catalog(),
        }
    }

    fn load(&self, id: &str) -> (Grader, Limits) {
        artifacts::grader(id);
        let competition = self.catalog.get(id).unwrap();
        let grader = Grader::from_file(&self.engine, competition.grader().unwrap()).unwrap();
        (grader, competition.limits(&LimitOverrides::default()))
    }
}

/// A verdict as the table has it.
fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Scored { .. } => "scored".to_owned(),
        Verdict::InvalidSubmission(message) => message.clone(),
        other => format!("not the submission's fault: {other:?}"),
    }
}

#[test]
fn mistakes_are_told_as_the_table_says() {
    type Table = BTreeMap<String, BTreeMap<String, String>>;
    let graders = Graders::new();
    let examples: BTreeMap<String, Example> = examples::all()
        .into_iter()
        .map(|example| (example.competition.id().to_owned(), example.example))
        .collect();
    let mut now = Table::new();
    for subject in SUBJECTS {
        let example = &examples[subject.id];
        let (grader, limits) = graders.load(subject.id);
        let answers = Input::open(&example.answers, u64::MAX).unwrap();
        let good = parse(&fs::read(&example.submissions["good"].path).unwrap());
        let mut messages = BTreeMap::new();
        for (name, bytes) in mistakes(&good, 0, subject) {
            let submission = Input::from_bytes("submission.csv", bytes.as_slice());
            let grading = grader.grade(&submission, std::slice::from_ref(&answers), &limits);
            assert!(messages.insert(name, said(&grading.verdict)).is_none());
        }
        now.insert(subject.id.to_owned(), messages);
    }
    let expected: Table = toml::from_str(include_str!("messages.toml")).unwrap();
    if now != expected {
        let path = artifacts::target().join("messages.toml");
        fs::write(&path, toml::to_string(&now).unwrap()).unwrap();
        let said = |table: &Table, id: &str, name: &str| table.get(id)?.get(name).cloned();
        let names = now.iter().flat_map(|(id, of_id)| of_id.keys().map(move |name| (id, name)));
        let first = names
            .filter(|(id, name)| said(&now, id, name) != said(&expected, id, name))
            .map(|(id, name)| {
                format!(
                    "{id}, {name}: {:?}, expected {:?}",
                    said(&now, id, name),
                    said(&expected, id, name)
                )
            })
            .next();
        panic!(
            "{}\nwhat is said now is in {}",
            first.unwrap_or_else(|| "the table holds what is not tried".to_owned()),
            path.display()
        );
    }
}

/// Columns of the answers, besides the first, that say what the rows are and not what is to be predicted.
const NOT_LABELS: &[(&str, &[&str])] = &[
    ("champs-scalar-coupling", &["type"]),
    ("detecting-insults-in-social-commentary", &["Comment"]),
    ("google-research-identify-contrails-reduce-global-warming", &["height", "width"]),
    ("hubmap-kidney-segmentation", &["width_pixels", "height_pixels"]),
    ("osic-pulmonary-fibrosis-progression", &["Weeks", "Patient_Week"]),
    ("rsna-2022-cervical-spine-fracture-detection", &["prediction_type", "row_id"]),
    ("smartphone-decimeter-2022", &["UnixTimeMillis"]),
    ("stanford-covid-vaccine", &["keep"]),
    ("uw-madison-gi-tract-image-segmentation", &["class", "image_width", "image_height"]),
    ("ventilator-pressure-prediction", &["u_out"]),
    ("vesuvius-challenge-ink-detection", &["width", "height"]),
];

/// Competitions in which, by the reference's rule, it takes the labels to say whether a submission is refused. Where it
/// is, the message has to be the same all the same.
const REFUSED_BY_LABELS: &[(&str, &str)] = &[
    (
        "3d-object-detection-for-autonomous-vehicles",
        "boxes that cannot be are looked at only where the sample holds their class",
    ),
    ("freesound-audio-tagging-2019", "scores of clips without a sound are not looked at"),
    (
        "jigsaw-toxic-comment-classification-challenge",
        "comments whose labels are -1 are left out before anything is looked at",
    ),
    ("osic-pulmonary-fibrosis-progression", "only visits that were measured last are looked at"),
    ("tweet-sentiment-extraction", "no words have no score where the answer has no words either"),
];

/// How labels are given to other rows.
const PERMUTATIONS: [fn(usize, usize) -> usize; 2] =
    [|row, rows| (row + 1) % rows, |row, rows| rows - 1 - row];

/// The answers with the labels of other rows.
fn permuted(id: &str, answers: &[u8], permutation: fn(usize, usize) -> usize) -> Vec<u8> {
    match id {
        "tensorflow2-question-answering" => permuted_lines(answers, permutation),
        "AI4Code" => permuted_words(answers, permutation),
        _ => permuted_columns(id, answers, permutation),
    }
}

fn permuted_columns(id: &str, answers: &[u8], permutation: fn(usize, usize) -> usize) -> Vec<u8> {
    let rows = parse(answers);
    let (header, rows) = rows.split_first().unwrap();
    let of_rows =
        NOT_LABELS.iter().find(|(other, _)| *other == id).map_or(&[][..], |(_, columns)| columns);
    let is_first = |column: usize| column == 0 && id != "detecting-insults-in-social-commentary";
    let permuted = (0..rows.len()).map(|row| {
        let other = &rows[permutation(row, rows.len())];
        (0..header.len())
            .map(|column| {
                let stays = is_first(column) || of_rows.contains(&header[column].as_str());
                if stays { rows[row][column].clone() } else { other[column].clone() }
            })
            .collect()
    });
    write(&[header.clone()].into_iter().chain(permuted).collect())
}

/// Of an order of cells, which cells there are is known to everyone; the label is their order.
fn permuted_words(answers: &[u8], permutation: fn(usize, usize) -> usize) -> Vec<u8> {
    let mut rows = parse(answers);
    let column = rows[0].iter().position(|name| name == "cell_order").unwrap();
    for row in &mut rows[1..] {
        let words: Vec<&str> = row[column].split_whitespace().collect();
        let permuted: Vec<&str> =
            (0..words.len()).map(|place| words[permutation(place, words.len())]).collect();
        row[column] = permuted.join(" ");
    }
    write(&rows)
}

fn permuted_lines(answers: &[u8], permutation: fn(usize, usize) -> usize) -> Vec<u8> {
    let lines: Vec<serde_json::Value> = answers
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let permuted = (0..lines.len()).map(|row| {
        let mut line = lines[row].clone();
        line["annotations"] = lines[permutation(row, lines.len())]["annotations"].clone();
        line.to_string()
    });
    permuted.collect::<Vec<String>>().join("\n").into_bytes()
}

/// Threat 6: labels are inferred from the texts of errors, or from the remarks on what is scored.
#[test]
fn messages_do_not_depend_on_labels() {
    let graders = Graders::new();
    let corpus = Corpus::of_checkout();
    let mut problems = Vec::new();
    let mut refused = 0;
    for id in artifacts::grader_ids() {
        let (grader, limits) = graders.load(&id);
        let cases = corpus.read(&id).unwrap();
        let depends = REFUSED_BY_LABELS.iter().any(|(other, _)| *other == id);
        let answers = Input::from_bytes(cases.answers_name.clone(), cases.answers.clone());
        let others: Vec<Input> = PERMUTATIONS
            .iter()
            .map(|permutation| permuted(&id, &cases.answers, *permutation))
            .filter(|permuted| *permuted != cases.answers)
            .map(|permuted| Input::from_bytes(cases.answers_name.clone(), permuted))
            .collect();
        // A single row has no other's label to take.
        let rows = cases.answers.iter().filter(|byte| **byte == b'\n').count();
        assert!(!others.is_empty() || rows == 2, "{id}: the labels stay where they are");
        let mut scored_with_other_labels = 0;
        for case in &cases.cases {
            let has_score = matches!(case.expected, Expected::Score { .. });
            let submission = Input::from_bytes("submission.csv", case.submission.as_slice());
            let grade = |answers: &Input| {
                let grading = grader.grade(&submission, std::slice::from_ref(answers), &limits);
                let told = [vec![said(&grading.verdict)], grading.warnings].concat().join("; ");
                (told, matches!(grading.verdict, Verdict::Scored { .. }))
            };
            let (told, _) = grade(&answers);
            refused += usize::from(!has_score);
            for other in &others {
                let (told_of_other, is_scored) = grade(other);
                // Whether other labels refuse what these score is the same question from the other side.
                if has_score && !is_scored {
                    continue;
                }
                if depends && !has_score && is_scored {
                    scored_with_other_labels += 1;
                } else if told_of_other != told {
                    problems.push(format!("{id}, {}:\n    {told}\n    {told_of_other}", case.name));
                }
            }
        }
        if depends && scored_with_other_labels == 0 {
            problems.push(format!("{id}: no case depends on the labels; take it off the list"));
        }
    }
    assert!(problems.is_empty(), "{} messages:\n{}", problems.len(), problems.join("\n"));
    // The corpus has thousands of them: that many were tried, and not none.
    println!("{refused} refused submissions, {} permutations of the labels", PERMUTATIONS.len());
    assert!(refused > 4_000, "{refused}");
}
