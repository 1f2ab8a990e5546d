//! How costs grow with the number of manifests, drivers, layers, instances and threads.
use crate::benches::child::Task;
use crate::benches::instructions;
use crate::benches::loader::Loader;
use crate::benches::measure::{Cost, Tools, times};
use crate::benches::stage::{Contents, Libraries, Stage};

/// The cost may grow this many times as fast as the number.
const TOLERANCE: f64 = 1.2;

/// A number that grows while an operation is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growing {
    /// Manifests in a folder, all but one of libraries that do not exist.
    Manifests,
    /// Manifests in a folder, each of a driver of its own. As [`Growing::Drivers`], for queries without an instance.
    UsableManifests,
    /// Manifests of explicit layers, and a tenth as many of implicit ones, none of them active.
    LayerManifests,
    Layers,
    Drivers,
    Instances,
    Threads,
    /// Objects in the settings file, none of them for this program.
    Settings,
}

#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub growing: Growing,
    pub line: &'static str,
    pub operation: &'static str,
    pub numbers: &'static [u32],
    /// How many instances are alive meanwhile, unless they are what grows.
    pub instances: u32,
    /// The number of calls in the smaller of the two compared runs; 0 if only the first call of a process counts, which has to search.
    pub calls: u32,
}

/// A measured series: for each number the costs with each loader.
#[derive(Clone, Debug)]
pub struct Series {
    pub plan: Plan,
    /// The costs, in the order of the numbers; instructions except where threads grow.
    pub points: Vec<Vec<Cost>>,
}

/// Series that share a picture, which [`crate::benches::curves`] draws.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// The name of its files, without the ending.
    pub name: &'static str,
    /// The operation, as the title of the picture.
    pub title: &'static str,
    grows: Grows,
    lines: &'static [Measured],
}

type Grows = (Growing, &'static [u32]);

/// One line of a picture: its name, the operation, and as in [`Plan`] the instances and the calls.
type Measured = (&'static str, &'static str, u32, u32);

impl Curve {
    pub fn plans(&self) -> impl Iterator<Item = Plan> {
        let (growing, numbers) = self.grows;
        self.lines.iter().map(move |(line, operation, instances, calls)| Plan {
            growing,
            line,
            operation,
            numbers,
            instances: *instances,
            calls: *calls,
        })
    }
}

const USABLE: Grows = (Growing::UsableManifests, &[1, 10, 100, 1000]);
const MISSING: Grows = (Growing::Manifests, &[1, 10, 100, 1000]);
const INACTIVE: Grows = (Growing::LayerManifests, &[1, 10, 100, 1000]);
const DRIVERS: Grows = (Growing::Drivers, &[1, 2, 4, 8, 16, 32, 64]);
const LAYERS: Grows = (Growing::Layers, &[1, 2, 4, 8, 16, 32]);
const INSTANCES: Grows = (Growing::Instances, &[1, 10, 100, 1000]);
const THREADS: Grows = (Growing::Threads, &[1, 2, 4, 8, 16]);

/// Returns the first call of a process, which has to search, and a later one, which need not.
const fn first_and_later(operation: &'static str, instances: u32, calls: u32) -> [Measured; 2] {
    [("first call", operation, instances, 0), ("later call", operation, instances, calls)]
}

const INSTANCE_AND_DEVICE: [Measured; 2] = [("instance", "instance", 0, 2), ("device", "device", 1, 2)];

const BESIDE_OTHERS: [Measured; 2] =
    [("one more instance", "instance", 1, 2), ("device features", "physical_device_command", 1, 100)];

const LOOK_UP: Measured = ("vkGetInstanceProcAddr", "proc_addr_late", 1, 1000);
const OWN_INSTANCE: Measured = ("each thread its own", "instance", 0, 10);

/// Measured only to see whether it grows linearly.
pub(crate) const UNDRAWN: Curve = curve(
    "settings",
    "Count instance extensions",
    (Growing::Settings, &[]),
    &first_and_later("extensions", 0, 2),
);

const MAKE_INSTANCE: &str = "Create and destroy an instance";

pub const CURVES: [Curve; 11] = [
    curve("manifests-usable", "Count instance extensions", USABLE, &first_and_later("extensions", 0, 2)),
    curve("manifests-missing", "Count instance extensions", MISSING, &first_and_later("extensions", 0, 2)),
    curve("manifests-missing-instance", MAKE_INSTANCE, MISSING, &first_and_later("instance", 0, 2)),
    curve("manifests-layers", "Count layers", INACTIVE, &first_and_later("layers", 0, 2)),
    curve("manifests-layers-instance", MAKE_INSTANCE, INACTIVE, &first_and_later("instance", 0, 2)),
    curve("drivers", MAKE_INSTANCE, DRIVERS, &first_and_later("instance", 0, 2)),
    curve(
        "drivers-devices",
        "List the physical devices",
        DRIVERS,
        &first_and_later("enumerate_devices", 1, 10),
    ),
    curve("layers", "Create and destroy an instance, then a device", LAYERS, &INSTANCE_AND_DEVICE),
    curve("instances", "Calls while many instances are alive", INSTANCES, &BESIDE_OTHERS),
    curve("threads-look-up", "Look up a command by name", THREADS, &[LOOK_UP]),
    curve("threads-instance", MAKE_INSTANCE, THREADS, &[OWN_INSTANCE]),
];

const fn curve(name: &'static str, title: &'static str, grows: Grows, lines: &'static [Measured]) -> Curve {
    Curve { name, title, grows, lines }
}

impl Growing {
    pub fn noun(self) -> &'static str {
        match self {
            Self::Manifests => "driver manifests, all but one of missing libraries",
            Self::UsableManifests => "driver manifests, all usable",
            Self::LayerManifests => "explicit layer manifests, and a tenth as many implicit ones",
            Self::Layers => "active layers",
            Self::Drivers => "drivers",
            Self::Instances => "instances",
            Self::Threads => "threads",
            Self::Settings => "objects in the settings file",
        }
    }
}

impl Series {
    /// Costs with loader number `loader`: instructions where all were counted, else the median times in nanoseconds.
    pub fn costs(&self, loader: usize) -> Vec<f64> {
        let counted: Option<Vec<_>> = self.points.iter().map(|costs| costs[loader].instructions).collect();
        counted.unwrap_or_else(|| self.points.iter().map(|costs| costs[loader].median).collect())
    }

    /// Does the same without the dynamic linker: it compares each library with all that are open, and copies a table of all of them for
    /// each, so its cost grows faster than their number whatever a loader does.
    pub fn own_costs(&self, loader: usize) -> Vec<f64> {
        let linker = self.points.iter().map(|costs| costs[loader].linker.unwrap_or(0.0));
        self.costs(loader).into_iter().zip(linker).map(|(all, linker)| all - linker).collect()
    }

    /// Returns whether the unit of `costs` is an instruction.
    pub fn in_instructions(&self) -> bool {
        self.points.iter().flatten().all(|cost| cost.instructions.is_some())
    }

    /// Returns whether the cost grows no faster than its number, between any two points.
    pub fn is_linear(&self, loader: usize) -> bool {
        self.steepest(loader) <= TOLERANCE
    }

    /// Returns how many times faster than its number the cost grows, at the steepest point, without the dynamic linker. At most 1 if it
    /// grows linearly.
    pub fn steepest(&self, loader: usize) -> f64 {
        let points: Vec<_> = self.own_costs(loader).into_iter().zip(self.plan.numbers).collect();
        let pairs = points.iter().enumerate().flat_map(|(place, low)| {
            points[place + 1..]
                .iter()
                .map(move |high| (high.0 / low.0.max(1.0)) / (f64::from(*high.1) / f64::from(*low.1)))
        });
        pairs.fold(0.0, f64::max)
    }
}

/// Measures all series whose operation's name, or what grows in them, holds `only`: instructions and times.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn series(loaders: &[Loader], tools: Tools, only: &str) -> Result<Vec<Series>, String> {
    let libraries = Libraries::compile()?;
    let is_wanted = |plan: &Plan| plan.operation.contains(only) || plan.growing.noun().contains(only);
    let plans = CURVES.iter().flat_map(Curve::plans).filter(is_wanted);
    plans.map(|plan| one(&libraries, loaders, plan, tools.instructions, true)).collect()
}

/// Measures the series of one picture: instructions, or times where threads grow.
///
/// # Errors
/// As for [`series`].
pub(crate) fn of_curve(
    libraries: &Libraries,
    loaders: &[Loader],
    curve: &Curve,
) -> Result<Vec<Series>, String> {
    curve.plans().map(|plan| counted(libraries, loaders, plan)).collect()
}

/// Measures one series in instructions.
///
/// # Errors
/// As for [`series`].
pub(crate) fn counted(libraries: &Libraries, loaders: &[Loader], plan: Plan) -> Result<Series, String> {
    one(libraries, loaders, plan, true, false)
}

/// `timed`: also measures times where instructions are counted.
fn one(
    libraries: &Libraries,
    loaders: &[Loader],
    plan: Plan,
    counted: bool,
    timed: bool,
) -> Result<Series, String> {
    let counted = counted && plan.growing != Growing::Threads;
    let mut points = Vec::new();
    for number in plan.numbers {
        eprintln!("measuring {} with {number} {}", plan.operation, plan.growing.noun());
        let stage = Stage::new(libraries, plan.growing.stage(*number)).map_err(|error| error.to_string())?;
        let tasks: Vec<_> = loaders.iter().map(|loader| plan.task(loader, *number)).collect();
        let mut costs =
            if timed || !counted { times(&stage, &tasks)? } else { vec![Cost::default(); tasks.len()] };
        if counted {
            for (cost, task) in costs.iter_mut().zip(&tasks) {
                let count = if plan.calls == 0 { instructions::first_call } else { instructions::later_call };
                cost.count(count(&stage, task)?);
            }
        }
        points.push(costs);
    }
    Ok(Series { plan, points })
}

impl Growing {
    fn stage(self, number: u32) -> Contents {
        let one = Contents::ONE_DRIVER;
        match self {
            Self::Manifests => Contents { manifests: number, ..one },
            Self::LayerManifests => Contents { explicit_layers: number, implicit_layers: number / 10, ..one },
            Self::Layers => Contents { active_layers: number, ..one },
            Self::Drivers | Self::UsableManifests => Contents { manifests: number, drivers: number, ..one },
            Self::Settings => Contents { settings: number, ..one },
            Self::Instances | Self::Threads => one,
        }
    }
}

impl Plan {
    fn task(&self, loader: &Loader, number: u32) -> Task {
        Task {
            library: loader.file.display().to_string(),
            operation: self.operation.to_owned(),
            calls: self.calls,
            samples: 0,
            instances: if self.growing == Growing::Instances { number } else { self.instances },
            threads: if self.growing == Growing::Threads { number } else { 1 },
        }
    }
}
