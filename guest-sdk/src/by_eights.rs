//! Loops that take eight items a turn.
//!
//! In WebAssembly each turn of a loop looks at the fuel, which takes longer than many a loop's own work.

/// Visits all items in order.
#[inline(always)]
pub(crate) fn for_each<T: Copy>(items: &[T], mut visit: impl FnMut(T)) {
    let (eights, others) = items.as_chunks();
    for &[first, second, third, fourth, fifth, sixth, seventh, eighth] in eights {
        visit(first);
        visit(second);
        visit(third);
        visit(fourth);
        visit(fifth);
        visit(sixth);
        visit(seventh);
        visit(eighth);
    }
    for item in others {
        visit(*item);
    }
}

/// What each item becomes, in order.
#[inline(always)]
pub(crate) fn map<T: Copy, U: Copy>(items: &[T], mut convert: impl FnMut(T) -> U) -> Vec<U> {
    let mut converted = Vec::with_capacity(items.len());
    let (eights, others) = items.as_chunks::<8>();
    for eight in eights {
        converted.extend_from_slice(&eight.map(&mut convert));
    }
    converted.extend(others.iter().map(|item| convert(*item)));
    converted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_taken_in_order() {
        for count in 0..30 {
            let items: Vec<u32> = (0..count).collect();
            let mut visited = Vec::new();
            for_each(&items, |item| visited.push(item));
            assert_eq!(visited, items);
            assert_eq!(
                map(&items, |item| 2 * item),
                items.iter().map(|item| 2 * item).collect::<Vec<_>>()
            );
        }
    }
}
