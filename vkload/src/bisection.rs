//! Finds what makes something fail among several, by halves.

/// Returns the smallest sets of positions, out of `count`, that fail, provided that all positions together fail and none do not: as long as the
/// rest fails, another set is in it. `fails` tries the positions that it is given. Its first error ends the search.
///
/// One culprit is found in about log2(count) tries. If two culprits fail only together, each is found while the other stays in.
pub(crate) fn groups<E>(count: usize, fails: Fails<'_, E>) -> Result<Vec<Vec<usize>>, E> {
    let (mut rest, mut found): (Vec<usize>, Vec<Vec<usize>>) = ((0..count).collect(), Vec::new());
    while !rest.is_empty() && (found.is_empty() || fails(&rest)?) {
        let group = search(&rest, &[], fails)?;
        rest.retain(|index| !group.contains(index));
        found.push(group);
    }
    Ok(found)
}

type Fails<'a, E> = &'a mut dyn FnMut(&[usize]) -> Result<bool, E>;

/// Returns the culprits among `suspects`, provided that these fail together with `beside`, and `beside` alone does not.
fn search<E>(suspects: &[usize], beside: &[usize], fails: Fails<'_, E>) -> Result<Vec<usize>, E> {
    if suspects.len() < 2 {
        return Ok(suspects.to_vec());
    }
    let (first, second) = suspects.split_at(suspects.len() / 2);
    let with = |one: &[usize]| {
        let mut indices = [one, beside].concat();
        indices.sort_unstable();
        indices
    };
    if fails(&with(first))? {
        return search(first, beside, fails);
    }
    if fails(&with(second))? {
        return search(second, beside, fails);
    }
    // Each half needs something of the other.
    let of_first = search(first, &with(second), fails)?;
    let of_second = search(second, &[beside, &of_first].concat(), fails)?;
    let mut both = [of_first, of_second].concat();
    both.sort_unstable();
    Ok(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn found(count: usize, guilty: &[usize]) -> (Vec<usize>, u32) {
        let mut tries = 0;
        let found = groups(count, &mut |indices| {
            tries += 1;
            Ok::<_, Infallible>(guilty.iter().all(|one| indices.contains(one)))
        });
        (found.unwrap().concat(), tries)
    }

    #[test]
    fn one_culprit_is_found_among_many_in_few_tries() {
        for guilty in 0..16 {
            let (found, tries) = found(16, &[guilty]);
            assert_eq!(found, [guilty]);
            assert!(tries <= 9, "{tries}");
        }
        assert_eq!(found(1, &[0]).0, [0]);
    }

    #[test]
    fn culprits_that_fail_only_together_are_all_found() {
        assert_eq!(found(8, &[1, 6]).0, [1, 6]);
        assert_eq!(found(8, &[0, 1, 7]).0, [0, 1, 7]);
    }

    #[test]
    fn culprits_that_fail_alone_are_all_found() {
        let found =
            groups(8, &mut |indices| Ok::<_, Infallible>([2, 5, 6].iter().any(|one| indices.contains(one))));
        assert_eq!(found.unwrap(), [[2], [5], [6]]);
    }
}
