//! Reduces a test case in which two loaders differ.

use crate::world::World;

/// Returns the smallest part of the test case for which `differs` holds: removes subjects first, then lines.
pub(crate) fn shrink(mut world: World, differs: impl Fn(&World) -> bool) -> World {
    loop {
        let before = world.0.len();
        for kind in ["ask", "layer", "driver", "json", "env", "link", "folder"] {
            for subject in world.subjects(kind).into_iter().map(str::to_owned).collect::<Vec<_>>() {
                let mut smaller = world.clone();
                smaller.0.retain(|line| line.kind != kind || line.subject != subject);
                if differs(&smaller) {
                    world = smaller;
                }
            }
        }
        for at in (0..world.0.len()).rev() {
            let mut smaller = world.clone();
            smaller.0.remove(at);
            if differs(&smaller) {
                world = smaller;
            }
        }
        if world.0.len() == before {
            return world;
        }
    }
}
