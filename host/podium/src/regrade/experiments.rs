//! `run_group_experiments.csv` of the reference's `runs/` tree: which run group belongs to which experiment.

/// Reads pairs of an experiment and a run group. The columns are found by their names.
///
/// # Errors
/// What is wrong with the file, and in which line.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    // Before a header in quotes it would keep the quotes from being any.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(bytes);
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| {
        headers
            .iter()
            .position(|header| header == name)
            .ok_or_else(|| format!("it has no column `{name}`"))
    };
    let (experiment, run_group) = (column("experiment_id")?, column("run_group")?);
    let mut pairs = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let (Some(experiment), Some(run_group)) = (record.get(experiment), record.get(run_group))
        else {
            let line = record.position().map_or(0, csv::Position::line);
            return Err(format!("line {line} has too few cells"));
        };
        pairs.push((experiment.to_owned(), run_group.to_owned()));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_are_read_by_the_names_of_columns() {
        let pairs = parse(b"experiment_id,run_group\nscaffolding, g1\nscaffolding,g2\n").unwrap();
        let pair = |group: &str| ("scaffolding".to_owned(), group.to_owned());
        assert_eq!(pairs, [pair("g1"), pair("g2")]);
        for text in [
            "\u{feff}run_group,experiment_id\ng1,scaffolding\n",
            "\u{feff}\"run_group\",\"experiment_id\"\r\ng1,scaffolding\r\n",
            "\u{feff}\"experiment_id\",x,\"run_group\"\n\"scaffolding\",,\"g1\"\n",
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap(), [pair("g1")], "{text}");
        }
        for (text, part) in [
            (b"a,b\n1,2\n".as_slice(), "no column `experiment_id`"),
            (b"experiment_id,run_group\nx\n", "line 2 has too few cells"),
            (b"experiment_id,run_group\n\xff,x\n", "UTF-8"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
