//! Names with values below each other: what is said of one thing.

/// Names with values, laid out in two columns. Both may be styled.
#[derive(Debug, Default)]
pub(crate) struct Facts(Vec<(String, String)>);

impl Facts {
    /// Adds a name and a value; further lines of the value go below its first.
    pub(crate) fn add(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// The lines, without a line end after the last.
    pub(crate) fn lines(&self) -> String {
        const GAP: usize = 2;
        let visible = |text: &str| anstream::adapter::strip_str(text).to_string().chars().count();
        let width = self.0.iter().map(|(name, _)| visible(name)).max().unwrap_or_default() + GAP;
        let below = format!("\n{}", " ".repeat(width));
        let lines: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| {
                let gap = " ".repeat(width - visible(name));
                format!("{name}{gap}{}", value.trim_end().replace('\n', &below))
            })
            .collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use owo_colors::OwoColorize;

    use super::Facts;

    #[test]
    fn values_stand_below_each_other_whatever_the_style() {
        let mut facts = Facts::default();
        facts.add("score", "0.5");
        facts.add("warning".yellow().to_string(), "two\nlines\n");
        let lines = anstream::adapter::strip_str(&facts.lines()).to_string();
        assert_eq!(lines, "score    0.5\nwarning  two\n         lines");
        assert_eq!(Facts::default().lines(), "");
    }
}
