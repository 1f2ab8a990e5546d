//! How costs grow with the number of manifests, drivers, layers, instances and threads.
use crate::child::Task;
use crate::instructions;
use crate::loader::Loader;
use crate::measure::{Cost, Tools, times};
use crate::stage::{Contents, Libraries, Stage};

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
    /// Layers that are active.
    Layers,
    /// Drivers, each a library of its own.
    Drivers,
    /// Instances that are alive meanwhile.
    Instances,
    /// Threads that do the same at once.
    Threads,
}

/// A series that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What grows.
    pub growing: Growing,
    /// What distinguishes it in its picture.
    pub line: &'static str,
    /// The operation's name.
    pub operation: &'static str,
    /// The numbers.
    pub numbers: &'static [u32],
    /// How many instances are alive meanwhile, unless they are what grows.
    pub instances: u32,
    /// How many calls make the smaller of two runs whose instructions are compared; 0 where it is the first call of a
    /// process that counts, which has to search.
    pub calls: u32,
}

/// A measured series: for each number the costs with each loader.
#[derive(Clone, Debug)]
pub struct Series {
    /// What was measured.
    pub plan: Plan,
    /// The costs, in the order of the numbers; instructions except where threads grow.
    pub points: Vec<Vec<Cost>>,
}

/// Series that stand in one picture, which [`crate::curves`] draws.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// The name of its files, without the ending.
    pub name: &'static str,
    /// What is done, as the title of the picture.
    pub title: &'static str,
    /// Its series, in which the same grows by the same numbers.
    pub plans: &'static [Plan],
}

const TENFOLD: &[u32] = &[1, 10, 100, 1000];
const TWOFOLD: &[u32] = &[1, 2, 4, 8, 16, 32, 64];

/// All series, by picture.
pub const CURVES: [Curve; 11] = [
    curve(
        "manifests-usable",
        "Count instance extensions",
        &[
            plan(Growing::UsableManifests, FIRST, "extensions", TENFOLD, 0, 0),
            plan(Growing::UsableManifests, LATER, "extensions", TENFOLD, 0, 2),
        ],
    ),
    curve(
        "manifests-missing",
        "Count instance extensions",
        &[
            plan(Growing::Manifests, FIRST, "extensions", TENFOLD, 0, 0),
            plan(Growing::Manifests, LATER, "extensions", TENFOLD, 0, 2),
        ],
    ),
    curve(
        "manifests-missing-instance",
        "Create and destroy an instance",
        &[
            plan(Growing::Manifests, FIRST, "instance", TENFOLD, 0, 0),
            plan(Growing::Manifests, LATER, "instance", TENFOLD, 0, 2),
        ],
    ),
    curve(
        "manifests-layers",
        "Count layers",
        &[
            plan(Growing::LayerManifests, FIRST, "layers", TENFOLD, 0, 0),
            plan(Growing::LayerManifests, LATER, "layers", TENFOLD, 0, 2),
        ],
    ),
    curve(
        "manifests-layers-instance",
        "Create and destroy an instance",
        &[
            plan(Growing::LayerManifests, FIRST, "instance", TENFOLD, 0, 0),
            plan(Growing::LayerManifests, LATER, "instance", TENFOLD, 0, 2),
        ],
    ),
    curve(
        "drivers",
        "Create and destroy an instance",
        &[
            plan(Growing::Drivers, FIRST, "instance", TWOFOLD, 0, 0),
            plan(Growing::Drivers, LATER, "instance", TWOFOLD, 0, 2),
        ],
    ),
    curve(
        "drivers-devices",
        "List the physical devices",
        &[
            plan(Growing::Drivers, FIRST, "enumerate_devices", TWOFOLD, 1, 0),
            plan(Growing::Drivers, LATER, "enumerate_devices", TWOFOLD, 1, 10),
        ],
    ),
    curve(
        "layers",
        "Create and destroy an instance, then a device",
        &[
            plan(Growing::Layers, "instance", "instance", &[1, 2, 4, 8, 16, 32], 0, 2),
            plan(Growing::Layers, "device", "device", &[1, 2, 4, 8, 16, 32], 1, 2),
        ],
    ),
    curve(
        "instances",
        "Calls while many instances are alive",
        &[
            plan(Growing::Instances, "one more instance", "instance", TENFOLD, 1, 2),
            plan(Growing::Instances, "device features", "physical_device_command", TENFOLD, 1, 100),
        ],
    ),
    curve(
        "threads-look-up",
        "Look up a command by name",
        &[plan(Growing::Threads, "vkGetInstanceProcAddr", "proc_addr_late", &[1, 2, 4, 8, 16], 1, 1000)],
    ),
    curve(
        "threads-instance",
        "Create and destroy an instance",
        &[plan(Growing::Threads, "each thread its own", "instance", &[1, 2, 4, 8, 16], 0, 10)],
    ),
];

const FIRST: &str = "first call";
const LATER: &str = "later call";

const fn curve(name: &'static str, title: &'static str, plans: &'static [Plan]) -> Curve {
    Curve { name, title, plans }
}

const fn plan(
    growing: Growing,
    line: &'static str,
    operation: &'static str,
    numbers: &'static [u32],
    instances: u32,
    calls: u32,
) -> Plan {
    Plan { growing, line, operation, numbers, instances, calls }
}

impl Growing {
    /// A word for the number.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Manifests => "driver manifests, all but one of missing libraries",
            Self::UsableManifests => "driver manifests, all usable",
            Self::LayerManifests => "explicit layer manifests, and a tenth as many implicit ones",
            Self::Layers => "active layers",
            Self::Drivers => "drivers",
            Self::Instances => "instances",
            Self::Threads => "threads",
        }
    }
}

impl Series {
    /// Costs with loader number `loader`: instructions where all were counted, else the median times in nanoseconds.
    #[must_use]
    pub fn costs(&self, loader: usize) -> Vec<f64> {
        let counted: Option<Vec<_>> = self.points.iter().map(|costs| costs[loader].instructions).collect();
        counted.unwrap_or_else(|| self.points.iter().map(|costs| costs[loader].median).collect())
    }

    /// The same without the dynamic linker: it compares each library with all that are open, and copies a table of all of
    /// them for each, so its cost grows faster than their number whatever a loader does.
    #[must_use]
    pub fn own_costs(&self, loader: usize) -> Vec<f64> {
        let linker = self.points.iter().map(|costs| costs[loader].linker.unwrap_or(0.0));
        self.costs(loader).into_iter().zip(linker).map(|(all, linker)| all - linker).collect()
    }

    /// Whether the unit of `costs` is an instruction.
    #[must_use]
    pub fn in_instructions(&self) -> bool {
        self.points.iter().flatten().all(|cost| cost.instructions.is_some())
    }

    /// Whether the cost grows no faster than its number, between any two points.
    #[must_use]
    pub fn is_linear(&self, loader: usize) -> bool {
        self.steepest(loader) <= TOLERANCE
    }

    /// How many times faster than its number the cost grows, where it grows fastest, without the dynamic linker. At most 1
    /// if it grows linearly.
    #[must_use]
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
    let plans = CURVES.into_iter().flat_map(|curve| curve.plans).copied().filter(is_wanted);
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
    curve.plans.iter().map(|plan| counted(libraries, loaders, *plan)).collect()
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
