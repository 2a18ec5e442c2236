//! The competitions beside the largest: how many rows a submission has, and how answers and submissions of that size come
//! about.
//!
//! Rows are those of the data that the reference prepares: ten per cent, mostly, of what the competition published for
//! training. Where the split depends on what is in the data, the number is about right.

use super::enlarged::{Enlarged, PLAIN};
use super::{Files, Large, Make, boxes, characters, cuboids, labels, masks, notebooks, scans};

type Write = fn(u64, &mut Files<'_>) -> anyhow::Result<()>;

const fn written(
    competition: &'static str,
    rows: u64,
    write: Write,
    source: &'static str,
) -> Large {
    Large { competition, rows, make: Make::Rows(write), source }
}

const fn enlarged(competition: &'static str, rows: u64, how: Enlarged) -> Large {
    Large { competition, rows, make: Make::Example(how), source: "" }
}

const BOXES: &str = include_str!("boxes.rs");
const CHARACTERS: &str = include_str!("characters.rs");
const CUBOIDS: &str = include_str!("cuboids.rs");
const LABELS: &str = include_str!("labels.rs");
const MASKS: &str = include_str!("masks.rs");
const NOTEBOOKS: &str = include_str!("notebooks.rs");
/// Scans are made of masks.
const SCANS: &str = concat!(include_str!("scans.rs"), include_str!("masks.rs"));

/// Submissions as one expects them.
pub(in crate::bench) fn rest() -> Vec<Large> {
    let exact = Enlarged { exact: true, ..PLAIN };
    let in_order = Enlarged { in_order: true, ..PLAIN };
    let by = |ids| Enlarged { ids, ..PLAIN };
    let with = |texts| Enlarged { texts, ..PLAIN };
    vec![
        written("3d-object-detection-for-autonomous-vehicles", 4_536, cuboids::write, CUBOIDS),
        written("AI4Code", 20_000, notebooks::write, NOTEBOOKS),
        enlarged("aerial-cactus-identification", 3_325, PLAIN),
        enlarged("alaska2-image-steganalysis", 5_000, PLAIN),
        enlarged("aptos2019-blindness-detection", 367, PLAIN),
        enlarged("cassava-leaf-disease-classification", 2_676, PLAIN),
        enlarged("chaii-hindi-and-tamil-question-answering", 112, PLAIN),
        enlarged(
            "detecting-insults-in-social-commentary",
            2_647,
            Enlarged { ids: &["Comment"], in_order: true, ..PLAIN },
        ),
        enlarged("dog-breed-identification", 1_023, exact),
        enlarged("dogs-vs-cats-redux-kernels-edition", 2_500, PLAIN),
        enlarged("freesound-audio-tagging-2019", 3_361, PLAIN),
        enlarged("google-quest-challenge", 608, PLAIN),
        written(
            "google-research-identify-contrails-reduce-global-warming",
            1_856,
            masks::contrails,
            MASKS,
        ),
        written("herbarium-2020-fgvc7", 206_000, labels::herbarium_2020, LABELS),
        written("herbarium-2022-fgvc9", 167_955, labels::herbarium_2022, LABELS),
        enlarged("histopathologic-cancer-detection", 45_561, PLAIN),
        enlarged("hms-harmful-brain-activity-classification", 10_680, exact),
        enlarged("hotel-id-2021-fgvc8", 9_756, PLAIN),
        written("hubmap-kidney-segmentation", 3, masks::kidneys, MASKS),
        enlarged("imet-2020-fgvc7", 21_318, PLAIN),
        enlarged("inaturalist-2019-fgvc6", 32_189, PLAIN),
        enlarged("invasive-species-monitoring", 918, PLAIN),
        enlarged("iwildcam-2019-fgvc6", 20_000, PLAIN),
        enlarged("iwildcam-2020-fgvc7", 61_800, PLAIN),
        enlarged("jigsaw-toxic-comment-classification-challenge", 153_164, PLAIN),
        enlarged(
            "jigsaw-unintended-bias-in-toxicity-classification",
            97_320,
            with(&[("comment_text", 400)]),
        ),
        written("kuzushiji-recognition", 361, characters::write, CHARACTERS),
        enlarged("leaf-classification", 99, exact),
        enlarged(
            "learning-agency-lab-automated-essay-scoring-2",
            1_731,
            with(&[("full_text", 2_000)]),
        ),
        enlarged(
            "lmsys-chatbot-arena",
            5_748,
            Enlarged {
                texts: &[("prompt", 370), ("response_a", 1_400), ("response_b", 1_400)],
                ..exact
            },
        ),
        enlarged("mlsp-2013-birds", 1_216, PLAIN),
        enlarged("movie-review-sentiment-analysis-kernels-only", 46_818, with(&[("Phrase", 40)])),
        enlarged("multi-modal-gesture-recognition", 99, PLAIN),
        enlarged("new-york-city-taxi-fare-prediction", 9_914, PLAIN),
        enlarged("nomad2018-predict-transparent-conductors", 240, PLAIN),
        enlarged("osic-pulmonary-fibrosis-progression", 2_628, by(&["Patient_Week", "Patient"])),
        enlarged("paddy-disease-classification", 2_602, PLAIN),
        enlarged("petfinder-pawpularity-score", 992, PLAIN),
        enlarged("plant-pathology-2020-fgvc7", 183, exact),
        enlarged("plant-pathology-2021-fgvc8", 3_727, PLAIN),
        enlarged("plant-seedlings-classification", 665, PLAIN),
        enlarged("playground-series-s3e18", 1_484, PLAIN),
        enlarged("predict-volcanic-eruptions-ingv-oe", 444, PLAIN),
        enlarged("random-acts-of-pizza", 1_162, PLAIN),
        enlarged(
            "ranzcr-clip-catheter-line-classification",
            3_009,
            by(&["StudyInstanceUID", "PatientID"]),
        ),
        enlarged(
            "rsna-2022-cervical-spine-fracture-detection",
            1_616,
            by(&["row_id", "StudyInstanceUID"]),
        ),
        enlarged("rsna-breast-cancer-detection", 2_384, PLAIN),
        enlarged("rsna-miccai-brain-tumor-radiogenomic-classification", 59, PLAIN),
        enlarged("seti-breakthrough-listen", 6_000, PLAIN),
        written("siim-covid19-detection", 1_239, boxes::covid, BOXES),
        enlarged("siim-isic-melanoma-classification", 4_142, PLAIN),
        // Trips are few and long.
        enlarged(
            "smartphone-decimeter-2022",
            37_000,
            Enlarged { ids: &["UnixTimeMillis"], exact: true, ..in_order },
        ),
        enlarged("spaceship-titanic", 870, PLAIN),
        enlarged("spooky-author-identification", 1_958, exact),
        enlarged("stanford-covid-vaccine", 25_680, PLAIN),
        enlarged("statoil-iceberg-classifier-challenge", 321, PLAIN),
        enlarged("tabular-playground-series-may-2022", 100_000, PLAIN),
        enlarged("tensorflow-speech-recognition-challenge", 6_473, PLAIN),
        written("tgs-salt-identification-challenge", 1_000, masks::salt, MASKS),
        enlarged("the-icml-2013-whale-challenge-right-whale-redux", 25_149, PLAIN),
        enlarged("tweet-sentiment-extraction", 2_749, PLAIN),
        enlarged("us-patent-phrase-to-phrase-matching", 3_648, PLAIN),
        written("uw-madison-gi-tract-image-segmentation", 17_280, scans::write, SCANS),
        written("vesuvius-challenge-ink-detection", 1, masks::papyrus, MASKS),
        written("vinbigdata-chest-xray-abnormalities-detection", 1_500, boxes::chest, BOXES),
        enlarged("whale-categorization-playground", 2_610, PLAIN),
    ]
}

/// Submissions that are as heavy as they come in earnest, for the competitions where a row may hold any number of things.
pub(in crate::bench) fn heavy() -> Vec<Large> {
    vec![
        written("3d-object-detection-for-autonomous-vehicles", 4_536, cuboids::heavy, CUBOIDS),
        written("AI4Code", 20_000, notebooks::heavy, NOTEBOOKS),
        written(
            "google-research-identify-contrails-reduce-global-warming",
            1_856,
            masks::contrails_heavy,
            MASKS,
        ),
        written("hubmap-kidney-segmentation", 3, masks::kidneys_heavy, MASKS),
        written("kuzushiji-recognition", 361, characters::heavy, CHARACTERS),
        written("siim-covid19-detection", 1_239, boxes::covid_heavy, BOXES),
        written("tgs-salt-identification-challenge", 1_000, masks::salt_heavy, MASKS),
        written("uw-madison-gi-tract-image-segmentation", 17_280, scans::heavy, SCANS),
        written("vesuvius-challenge-ink-detection", 1, masks::papyrus_heavy, MASKS),
        written("vinbigdata-chest-xray-abnormalities-detection", 1_500, boxes::chest_heavy, BOXES),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::bench::large::{LARGEST, MORE};
    use crate::workspace;

    #[test]
    fn every_competition_has_data_of_its_real_size() {
        let mut known: Vec<&str> =
            rest().iter().chain(&LARGEST).chain(&MORE).map(|large| large.competition).collect();
        known.sort_unstable();
        let folders = fs::read_dir(workspace::root().join("competitions")).unwrap();
        let all: BTreeSet<String> = folders
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.join("competition.toml").is_file())
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(known, all.iter().collect::<Vec<_>>());
    }

    #[test]
    fn heavy_submissions_are_heavier() {
        for heavy in heavy() {
            let all = rest();
            let usual = all.iter().find(|large| large.competition == heavy.competition).unwrap();
            let rows = usual.rows.min(400);
            let written = |large: &Large| {
                let (mut answers, mut submission) = (Vec::new(), Vec::new());
                let mut files = Files { answers: &mut answers, submission: &mut submission };
                large.write(rows, &mut files).unwrap();
                (answers, submission.len())
            };
            let ((answers, usual), (same_answers, heavy_submission)) =
                (written(usual), written(&heavy));
            assert!(answers == same_answers, "{}", heavy.competition);
            // Another order is as long.
            let factor = if heavy.competition == "AI4Code" { 1 } else { 2 };
            assert!(
                heavy_submission >= factor * usual,
                "{}: {usual}, {heavy_submission}",
                heavy.competition
            );
        }
    }
}
