//! What an agent is told, in our own words; the places are those that agents of MLE-bench know.

/// What the agent reads at `/home/instructions.txt`.
pub(crate) fn text(obfuscated: bool, description_in_data: bool, time_limit_seconds: u64) -> String {
    let setting = if obfuscated {
        "You take part in a machine-learning task."
    } else {
        "You take part in MLE-bench: a competition as on Kaggle, run offline to see how well agents do machine-learning \
         engineering."
    };
    let description =
        if description_in_data { "/home/data/description.md" } else { "/home/description.md" };
    let hours = time_limit_seconds / 3600;
    let minutes = time_limit_seconds % 3600 / 60;
    let seconds = time_limit_seconds % 60;
    format!(
        "{setting}\n\
         \n\
         Train a model and let it predict what is asked for. Labelling the test data by hand is not allowed.\n\
         \n\
         - The task: {description} describes it. Where it disagrees with this page, this page holds.\n\
         - The data: /home/data, which cannot be written. The test data were split off for this benchmark, so they may differ\n  \
           from what the description says of them.\n\
         - Your submission: write it to /home/submission/submission.csv. Nothing else is graded, and there is no other format\n  \
           than CSV, whatever the description says. Without this file the attempt has failed.\n\
         - Your code: keep it in /home/code. Logs that matter: /home/logs. Both are kept.\n\
         - Checking: POST your file to http://localhost:5000/validate, as curl -F \"file=@submission.csv\" does, or run\n  \
           /home/validate_submission.sh /home/submission/submission.csv. The reply says whether the submission can be graded,\n  \
           and why not. It never says how good it is. Calls are counted and limited.\n\
         - Time: {hours} h {minutes} min {seconds} s from the start. Then everything is stopped, and what lies at the place of\n  \
           the submission is graded.\n\
         - Using the solutions of others is not allowed and leads to disqualification.\n\
         \n\
         The submission is graded by the metric of the task. Reach the best score that you can.\n"
    )
}

/// `/home/validate_submission.sh`: works with any shell, and without curl.
pub(crate) const VALIDATE_SCRIPT: &str = "\
#!/bin/sh
# Asks whether a submission can be graded. Usage: /home/validate_submission.sh SUBMISSION
if [ -z \"$1\" ]; then
    echo \"Usage: $0 SUBMISSION\"
    exit 1
fi
if [ ! -f \"$1\" ]; then
    echo \"The file $1 does not exist.\"
    exit 1
fi
exec /podium/forwarder validate \"$1\"
";

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn the_variants_differ_in_the_setting_alone() {
        let plain = text(false, true, 86_400);
        let obfuscated = text(true, true, 86_400);
        assert!(plain.contains("MLE-bench") && plain.contains("24 h 0 min"));
        assert!(!obfuscated.contains("MLE-bench") && !obfuscated.contains("Kaggle"));
        assert_eq!(
            plain.lines().skip(1).collect::<Vec<_>>(),
            obfuscated.lines().skip(1).collect::<Vec<_>>()
        );
        assert!(text(false, false, 90).contains("/home/description.md describes"));
    }
}
