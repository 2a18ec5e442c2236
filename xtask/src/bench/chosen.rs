//! What `cargo xtask bench` measures, by the names that it is given.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use super::archive;
use super::costs::Cost;
use super::large::{self, Large};
use super::workloads;

/// What shows the cost of a grading beside its rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Small {
    WholeProcess,
    MillionRows,
    Bulk,
    Experiments,
    Regrade,
}

impl Small {
    pub(super) const ALL: [(&str, Small); 5] = [
        ("small", Small::WholeProcess),
        ("million-rows", Small::MillionRows),
        ("bulk", Small::Bulk),
        ("experiments", Small::Experiments),
        ("regrade", Small::Regrade),
    ];
}

/// What is measured.
pub(super) struct Chosen {
    pub(super) small: Vec<Small>,
    pub(super) costs: Vec<Cost>,
    pub(super) large: Vec<Large>,
}

impl Chosen {
    /// All but the smaller competitions, if nothing is named.
    pub(super) fn by(names: &[String]) -> Result<Chosen> {
        let mut chosen = Chosen {
            small: Small::ALL.map(|(_, small)| small).to_vec(),
            costs: Cost::ALL.map(|(_, cost)| cost).to_vec(),
            large: large::LARGEST.into_iter().chain(large::MORE).collect(),
        };
        if names.is_empty() {
            return Ok(chosen);
        }
        chosen.large.extend(large::rest());
        let known = |name: &str| {
            Small::ALL.iter().any(|(known, _)| *known == name)
                || Cost::ALL.iter().any(|(known, _)| *known == name)
                || chosen.large.iter().any(|large| large.competition == name)
        };
        if let Some(unknown) = names.iter().find(|name| !known(name)) {
            let names = Small::ALL.map(|(name, _)| name).into_iter();
            let names = names
                .chain(Cost::ALL.map(|(name, _)| name))
                .chain(chosen.large.iter().map(|large| large.competition));
            bail!(
                "there is no workload {unknown}; there are {}",
                names.collect::<Vec<_>>().join(", ")
            );
        }
        let named = |name: &str| names.iter().any(|named| named == name);
        let small = Small::ALL.iter().filter(|(name, _)| named(name));
        chosen.small = small.map(|(_, small)| *small).collect();
        let costs = Cost::ALL.iter().filter(|(name, _)| named(name));
        chosen.costs = costs.map(|(_, cost)| *cost).collect();
        chosen.large.retain(|large| named(large.competition));
        Ok(chosen)
    }

    /// The competitions whose graders are needed.
    pub(super) fn competitions(&self) -> Vec<String> {
        let grades =
            self.small.iter().any(|small| !matches!(small, Small::Experiments | Small::Regrade));
        let is_small = grades || self.costs.contains(&Cost::Receipts);
        let small = if is_small { &workloads::COMPETITIONS[..] } else { &[] };
        let regrades = self.small.contains(&Small::Regrade);
        let archived = if regrades { &archive::COMPETITIONS[..] } else { &[] };
        let measured_costs = large::LARGEST.into_iter().chain(large::MORE);
        let costs =
            measured_costs.filter(|_| !self.costs.is_empty()).map(|large| large.competition);
        let large = self.large.iter().map(|large| large.competition);
        let needed = small.iter().chain(archived).copied().chain(costs).chain(large);
        needed.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_chosen_by_name() {
        let chosen = |names: &[&str]| {
            Chosen::by(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        let all = chosen(&[]).unwrap();
        assert_eq!(all.small.len(), 5);
        assert_eq!(all.large.len(), large::LARGEST.len() + large::MORE.len());
        let some = chosen(&["bulk", "champs-scalar-coupling"]).unwrap();
        assert_eq!(some.small, [Small::Bulk]);
        assert!(some.costs.is_empty());
        assert_eq!(some.large.len(), 1);
        assert!(some.competitions().contains(&"champs-scalar-coupling".to_owned()));
        assert!(chosen(&["experiments"]).unwrap().competitions().is_empty());
        let fuel = chosen(&["fuel"]).unwrap();
        assert_eq!((fuel.costs.len(), fuel.large.len()), (1, 0));
        assert!(fuel.competitions().contains(&"champs-scalar-coupling".to_owned()));
        assert_eq!(chosen(&["leaf-classification"]).unwrap().large.len(), 1);
        assert_eq!(chosen(&["ml2021spring-hw2"]).unwrap().competitions(), ["ml2021spring-hw2"]);
        let error = chosen(&["titanic"]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("titanic") && error.contains("million-rows"), "{error}");
    }
}
