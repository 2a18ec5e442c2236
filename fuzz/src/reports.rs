//! Reports of one grading and of many out of any JSON, Podium's and the reference's.

use podium::{GradingReport, RunGroupReport};

/// Reads any bytes as the report of a grading and as that of a run group.
///
/// - What is a report is the same report when it is written and read again.
/// - A report's medals are those that it says; its score is a number or a text for one.
pub fn reports(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(report) = GradingReport::parse(text) {
        survives_writing(&report);
        assert_eq!(report.thresholds().is_some(), has_all_lines(&report));
        let _ = (report.score_value(), report.medal());
    }
    if let Ok(group) = RunGroupReport::parse(text) {
        let written = podium::to_json(&group);
        let again = RunGroupReport::parse(&written).expect("a report that was written");
        assert_eq!(podium::to_json(&again), written);
        group.competition_reports.iter().for_each(survives_writing);
    }
}

fn survives_writing(report: &GradingReport) {
    let written = podium::to_json(report);
    let again = GradingReport::parse(&written).expect("a report that was written");
    assert_eq!(&again, report, "{written}");
}

fn has_all_lines(report: &GradingReport) -> bool {
    let GradingReport { gold_threshold, silver_threshold, bronze_threshold, .. } = report;
    [gold_threshold, silver_threshold, bronze_threshold, &report.median_threshold]
        .into_iter()
        .all(Option::is_some)
}
