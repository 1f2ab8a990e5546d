use super::*;
use crate::dispatch::Table as _;
use crate::memory::Application;
use crate::platform::imaginary::Threads;
use std::collections::BTreeMap;
use std::vec::Vec as StdVec;

type Tables = StdVec<Box<DeviceTable, Application>>;

fn tables(count: usize) -> Tables {
    (0..count).map(|_| DeviceTable::try_new(Application::process()).unwrap()).collect()
}

fn found(keys: &Keys, key: usize) -> Option<*const DeviceTable> {
    keys.table_of(key).map(core::ptr::from_ref)
}

#[test]
fn an_invalid_or_duplicate_key_is_refused() {
    let (keys, tables) = (Keys::new(), tables(2));
    for (key, table) in [(FREE, 0), (LEFT, 0)] {
        assert_eq!(keys.insert(&Threads, key, &raw const *tables[table]), Err(KeyError::NotUnique));
    }
    for key in [0x1000, 0x2000, 0x3000] {
        assert_eq!(keys.insert(&Threads, key, &raw const *tables[0]), Ok(()));
        assert_eq!(keys.insert(&Threads, key, &raw const *tables[1]), Err(KeyError::NotUnique));
    }
    for key in [FREE, LEFT] {
        let entered = keys.insert(&Threads, key, &raw const *tables[0]);
        assert_eq!(entered, Err(KeyError::NotUnique), "nor among others");
    }
    keys.remove(&Threads, 0x2000, &raw const *tables[1]);
    assert_eq!(found(&keys, 0x2000), Some(&raw const *tables[0]), "it is another table's");
    keys.remove(&Threads, 0x1000, &raw const *tables[0]);
    keys.remove(&Threads, 0x2000, &raw const *tables[0]);
    keys.forget(&Threads);
    assert_eq!(
        found(&keys, 0x3000),
        Some(&raw const *tables[0]),
        "its memory is not given back while it is entered"
    );
    keys.remove(&Threads, 0x3000, &raw const *tables[0]);
    keys.forget(&Threads);
    assert!(keys.others.load(Ordering::Relaxed).is_null());
}

#[test]
fn the_map_holds_entries_until_they_are_removed() {
    let (keys, tables) = (Keys::new(), tables(8));
    let mut model = BTreeMap::new();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for round in 0..5_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Few homes and many keys that share them: gaps come and go everywhere.
        let key = ((random >> 20) as usize % 40 + 1) << 24;
        let table = &raw const *tables[random as usize % tables.len()];
        if random & 0x10000 == 0 {
            let expected = if model.contains_key(&key) { Err(KeyError::NotUnique) } else { Ok(()) };
            assert_eq!(keys.insert(&Threads, key, table), expected, "round {round}");
            model.entry(key).or_insert(table);
        } else {
            keys.remove(&Threads, key, table);
            if model.get(&key) == Some(&table) {
                model.remove(&key);
            }
        }
        for number in 1..=40 {
            assert_eq!(found(&keys, number << 24), model.get(&(number << 24)).copied(), "round {round}");
        }
    }
    for (key, table) in model {
        keys.remove(&Threads, key, table);
    }
    keys.forget(&Threads);
}

#[test]
fn entries_are_mostly_free_and_become_so_again() {
    let (keys, tables) = (Keys::new(), tables(1));
    let table = &raw const *tables[0];
    for number in 1..=100 {
        assert_eq!(keys.insert(&Threads, number << 12, table), Ok(()));
        // SAFETY: no other code has the keys, and nothing is forgotten before the end.
        let others = unsafe { keys.others.load(Ordering::Relaxed).as_ref() };
        assert!(others.is_none_or(|others| others.homes() >= 2 * (number - 1)), "{number}");
    }
    // SAFETY: no other code has the keys, and nothing is forgotten before the end.
    let others = unsafe { &*keys.others.load(Ordering::Relaxed) };
    assert!(!others.previous.is_null(), "smaller tables are kept until everything is forgotten");
    (1..=100).for_each(|number| keys.remove(&Threads, number << 12, table));
    assert!(
        others.all.iter().all(|entry| entry.key.load(Ordering::Relaxed) == FREE),
        "searches are short again"
    );
    keys.forget(&Threads);
}

#[test]
fn devices_come_and_go_in_some_threads_while_others_look_up() {
    let (keys, tables) = (Keys::new(), tables(8));
    let rounds = if cfg!(miri) { 3 } else { 2_000 };
    std::thread::scope(|scope| {
        for (thread, table) in tables.iter().enumerate() {
            let keys = &keys;
            scope.spawn(move || {
                let table = &raw const **table;
                // The threads' keys are interleaved, so that each thread makes gaps in the range that the
                // others search.
                for round in 0..rounds {
                    let all =
                        [thread, thread + 64, thread + 128 + round % 7 * 8].map(|number| (number + 1) << 12);
                    for key in all {
                        assert_eq!(keys.insert(&Threads, key, table), Ok(()));
                    }
                    for key in all {
                        assert_eq!(found(keys, key), Some(table));
                    }
                    for key in all {
                        keys.remove(&Threads, key, table);
                        assert_eq!(found(keys, key), None);
                    }
                }
            });
        }
    });
    keys.forget(&Threads);
    assert!(keys.others.load(Ordering::Relaxed).is_null());
}
