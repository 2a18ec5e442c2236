//! Predicting Molecular Properties: couplings of eight types between the atoms of molecules; the predictions in no order.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

/// The types, the more frequent first, and about how large such a coupling is.
const TYPES: [(&str, f64); 8] = [
    ("3JHC", 3.7),
    ("2JHC", -0.3),
    ("1JHC", 95.0),
    ("3JHH", 4.8),
    ("2JHH", -10.3),
    ("3JHN", 1.0),
    ("2JHN", 3.1),
    ("1JHN", 47.0),
];

/// The couplings of a molecule, whose ids follow each other.
const COUPLINGS: u64 = 55;

/// The molecules of which one is asked for.
const MOLECULES: u64 = 10;

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    writeln!(
        files.answers,
        "id,molecule_name,atom_index_0,atom_index_1,type,scalar_coupling_constant"
    )?;
    for row in 0..rows {
        let Coupling { id, molecule, atoms: (first, second), kind, constant } = Coupling::of(row);
        writeln!(
            files.answers,
            "{id},dsgdb9nsd_{molecule:06},{first},{second},{kind},{constant:?}"
        )?;
    }
    writeln!(files.submission, "id,scalar_coupling_constant")?;
    for row in Shuffled::new(221, rows).iter() {
        let Coupling { id, constant, .. } = Coupling::of(row);
        let prediction = (constant + Numbers::of_row(222, row).between(-0.6, 0.6)) as f32;
        writeln!(files.submission, "{id},{prediction:?}")?;
    }
    Ok(())
}

struct Coupling {
    id: u64,
    molecule: u64,
    atoms: (u64, u64),
    kind: &'static str,
    /// In hertz.
    constant: f64,
}

impl Coupling {
    fn of(row: u64) -> Coupling {
        let block = row / COUPLINGS;
        let molecule = block * MOLECULES + Numbers::of_row(223, block).below(MOLECULES);
        let mut numbers = Numbers::of_row(220, row);
        let (kind, size) = TYPES[numbers.skewed(TYPES.len() as u64) as usize];
        Coupling {
            id: molecule * COUPLINGS + row % COUPLINGS,
            molecule,
            atoms: (9 + numbers.below(12), numbers.below(9)),
            kind,
            // Four places behind the point.
            constant: ((size + numbers.between(-4.0, 4.0)) * 1e4).round() / 1e4,
        }
    }
}
