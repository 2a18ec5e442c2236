//! 1st and Future - Player Contact Detection: each pair of 22 players, and each player with the ground, at each tenth of a
//! second of a play; the predictions in no order.

use anyhow::Result;

use super::Files;
use crate::bench::numbers::{Numbers, Shuffled};

const PLAYERS: u64 = 22;
const PAIRS: u64 = PLAYERS * (PLAYERS - 1) / 2 + PLAYERS;
/// Tenths of a second.
const STEPS: u64 = 74;

pub(super) fn write(rows: u64, files: &mut Files<'_>) -> Result<()> {
    writeln!(
        files.answers,
        "contact_id,game_play,datetime,step,nfl_player_id_1,nfl_player_id_2,contact"
    )?;
    for row in 0..rows {
        let Contact { play, step, first, second } = Contact::of(row);
        let tenths = row / PAIRS;
        let (hour, minute, second_of_minute) =
            (tenths / 36_000 % 24, tenths / 600 % 60, tenths / 10 % 60);
        let tenth = tenths % 10;
        writeln!(
            files.answers,
            "{play}_{step}_{first}_{second},{play},\
             2020-09-11T{hour:02}:{minute:02}:{second_of_minute:02}.{tenth}00Z,{step},{first},{second},{}",
            u8::from(truth(row))
        )?;
    }
    writeln!(files.submission, "contact_id,contact")?;
    for row in Shuffled::new(211, rows).iter() {
        let Contact { play, step, first, second } = Contact::of(row);
        let wrong = Numbers::of_row(212, row).chance(if truth(row) { 300 } else { 5 });
        let contact = truth(row) != wrong;
        writeln!(files.submission, "{play}_{step}_{first}_{second},{}", u8::from(contact))?;
    }
    Ok(())
}

fn truth(row: u64) -> bool {
    Numbers::of_row(210, row).chance(14)
}

/// What may touch each other when.
struct Contact {
    play: String,
    step: u64,
    first: u64,
    second: String,
}

impl Contact {
    fn of(row: u64) -> Contact {
        let (play, step) = (row / (PAIRS * STEPS), row / PAIRS % STEPS);
        // Players of a play are in the order of their ids.
        let id = |player: u64| {
            30_000 + player * 1_100 + Numbers::of_row(213, play * 100 + player).below(1_100)
        };
        let (mut first, mut rest) = (0, row % PAIRS);
        // The first player is with the 21 behind and the ground, the next with 20 and the ground.
        while rest >= PLAYERS - first {
            rest -= PLAYERS - first;
            first += 1;
        }
        let second = first + 1 + rest;
        Contact {
            play: format!("{}_{:06}", 58_000 + play * 7, 100 + play * 37),
            step,
            first: id(first),
            second: if second == PLAYERS { "G".to_owned() } else { id(second).to_string() },
        }
    }
}
