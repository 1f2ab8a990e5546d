//! How costs grow with the number of manifests, drivers, layers, instances and threads.
use crate::child::Task;
use crate::instructions;
use crate::loader::Loader;
use crate::measure::{Cost, Tools, times};
use crate::stage::{Contents, Libraries, Stage};

/// A step of a series may cost this much more than the step before it times the growth in number.
const TOLERANCE: f64 = 1.2;

/// A number that grows while an operation is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growing {
    /// Manifests in a folder, all but one of libraries that do not exist.
    Manifests,
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

/// All series.
pub const PLANS: [Plan; 14] = [
    plan(Growing::Manifests, "extensions", &[1, 10, 100, 1000], 0, 2),
    plan(Growing::Manifests, "instance", &[1, 10, 100, 1000], 0, 2),
    plan(Growing::Manifests, "extensions", &[1, 10, 100, 1000], 0, 0),
    plan(Growing::LayerManifests, "layers", &[10, 100, 1000], 0, 0),
    plan(Growing::LayerManifests, "layers", &[10, 100, 1000], 0, 2),
    plan(Growing::LayerManifests, "instance", &[10, 100, 1000], 0, 2),
    plan(Growing::Layers, "instance", &[1, 4, 16], 0, 2),
    plan(Growing::Layers, "device", &[1, 4, 16], 1, 2),
    plan(Growing::Drivers, "instance", &[1, 4, 16, 64], 0, 2),
    plan(Growing::Drivers, "enumerate_devices", &[1, 4, 16, 64], 1, 10),
    plan(Growing::Instances, "instance", &[1, 10, 100, 1000], 1, 2),
    plan(Growing::Instances, "physical_device_command", &[1, 10, 100, 1000], 1, 100),
    plan(Growing::Threads, "proc_addr_late", &[1, 2, 4, 8], 1, 1000),
    plan(Growing::Threads, "instance", &[1, 2, 4, 8], 0, 10),
];

const fn plan(
    growing: Growing,
    operation: &'static str,
    numbers: &'static [u32],
    instances: u32,
    calls: u32,
) -> Plan {
    Plan { growing, operation, numbers, instances, calls }
}

impl Growing {
    /// A word for the number.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Manifests => "manifests",
            Self::LayerManifests => "explicit layer manifests and a tenth as many implicit ones",
            Self::Layers => "active layers",
            Self::Drivers => "drivers",
            Self::Instances => "instances",
            Self::Threads => "threads",
        }
    }
}

impl Series {
    /// Costs with loader number `loader`: instructions where all were counted, else the shortest times in nanoseconds.
    #[must_use]
    pub fn costs(&self, loader: usize) -> Vec<f64> {
        let counted: Option<Vec<_>> = self.points.iter().map(|costs| costs[loader].instructions).collect();
        counted.unwrap_or_else(|| self.points.iter().map(|costs| costs[loader].shortest).collect())
    }

    /// Whether the unit of `costs` is an instruction.
    #[must_use]
    pub fn in_instructions(&self) -> bool {
        self.points.iter().flatten().all(|cost| cost.instructions.is_some())
    }

    /// Whether no step grows faster than its number.
    #[must_use]
    pub fn is_linear(&self, loader: usize) -> bool {
        let costs = self.costs(loader);
        let steps = costs.windows(2).zip(self.plan.numbers.windows(2));
        steps.into_iter().all(|(cost, number)| {
            cost[1] / cost[0].max(1.0) <= TOLERANCE * f64::from(number[1]) / f64::from(number[0])
        })
    }
}

/// Measures all series whose operation's name, or what grows in them, holds `only`.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn series(loaders: &[Loader], tools: Tools, only: &str) -> Result<Vec<Series>, String> {
    let libraries = Libraries::compile()?;
    let is_wanted = |plan: &Plan| plan.operation.contains(only) || plan.growing.noun().contains(only);
    let plans = PLANS.into_iter().filter(is_wanted);
    plans.map(|plan| one(&libraries, loaders, tools, plan)).collect()
}

fn one(libraries: &Libraries, loaders: &[Loader], tools: Tools, plan: Plan) -> Result<Series, String> {
    let mut points = Vec::new();
    for number in plan.numbers {
        eprintln!("measuring {} with {number} {}", plan.operation, plan.growing.noun());
        let one = Contents::ONE_DRIVER;
        let contents = match plan.growing {
            Growing::Manifests => Contents { manifests: *number, ..one },
            Growing::LayerManifests => {
                Contents { explicit_layers: *number, implicit_layers: *number / 10, ..one }
            }
            Growing::Layers => Contents { active_layers: *number, ..one },
            Growing::Drivers => Contents { manifests: *number, drivers: *number, ..one },
            Growing::Instances | Growing::Threads => one,
        };
        let stage = Stage::new(libraries, contents).map_err(|error| error.to_string())?;
        let task = |loader: &Loader| Task {
            library: loader.file.display().to_string(),
            operation: plan.operation.to_owned(),
            calls: plan.calls,
            samples: 0,
            instances: if plan.growing == Growing::Instances { *number } else { plan.instances },
            threads: if plan.growing == Growing::Threads { *number } else { 1 },
        };
        let tasks: Vec<_> = loaders.iter().map(task).collect();
        let mut costs = times(&stage, &tasks)?;
        for (cost, task) in costs.iter_mut().zip(&tasks) {
            if tools.instructions && plan.growing != Growing::Threads {
                let count = if plan.calls == 0 { instructions::first_call } else { instructions::per_call };
                cost.instructions = Some(count(&stage, task)?);
            }
        }
        points.push(costs);
    }
    Ok(Series { plan, points })
}
