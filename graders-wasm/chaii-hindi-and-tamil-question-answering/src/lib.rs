//! Mean Jaccard index of the words of `PredictionString`, in lower case, questions matched by `id`.

use std::borrow::Cow;

use podium_grader::families::label_sets::texts;
use podium_grader::frame::match_rows;
use podium_grader::metrics::{Average, LabelSets, Vocabulary, label_sets};
use podium_grader::text::{python_lower, python_split};
use podium_grader::{Column, Direction, Failure, Frame, Grader, Score};

struct ChaiiQuestionAnswering;

impl Grader for ChaiiQuestionAnswering {
    const COMPETITION: &'static str = "chaii-hindi-and-tamil-question-answering";
    const METRIC: &'static str = "mean word-level Jaccard index";
    const DIRECTION: Direction = Direction::HigherIsBetter;
    const ANSWER_COLUMNS: Option<&'static [&'static str]> = Some(&["id", "PredictionString"]);

    fn grade(submission: &Frame, answers: &Frame) -> Result<Score, Failure> {
        let (submission, answers) = match_rows("id", &["PredictionString"], submission, answers)?;
        let truth = lowered(answers.column("PredictionString")?)?;
        let predicted = lowered(submission.column("PredictionString")?)?;

        let vocabulary: Vocabulary<'_> =
            truth.iter().chain(&predicted).flat_map(|text| python_split(text)).collect();
        let (truth, predicted) = (words(&vocabulary, &truth), words(&vocabulary, &predicted));
        let score = label_sets::jaccard(&vocabulary, &truth, &predicted, Average::Samples)?;
        let same = |row: &usize| truth.row(*row) == predicted.row(*row);
        let exact = (0..truth.len()).filter(same).count();
        let unanswered = (0..predicted.len()).filter(|row| predicted.row(*row).is_empty()).count();
        Ok(Score::new(score)
            .with("questions", truth.len() as f64)
            .with("questions with exactly the right words", exact as f64)
            .with("questions without a predicted word", unanswered as f64))
    }
}

/// The text of each row in lower case; an empty cell has no words.
fn lowered(column: &Column) -> Result<Vec<Cow<'_, str>>, Failure> {
    Ok(texts(column, "a text")?.into_iter().map(python_lower).collect())
}

fn words(vocabulary: &Vocabulary<'_>, texts: &[Cow<'_, str>]) -> LabelSets {
    let mut sets = LabelSets::new();
    texts.iter().for_each(|text| sets.push(vocabulary, python_split(text)));
    sets
}

podium_grader::export!(ChaiiQuestionAnswering);
