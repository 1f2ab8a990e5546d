//! How costs grow with the number of manifests, drivers, instances and threads.
use crate::child::Task;
use crate::instructions;
use crate::loader::Loader;
use crate::measure::{Cost, Tools, times};
use crate::stage::{NullDriver, Stage};

/// A step of a series may cost this much more than the step before it times the growth in number.
const TOLERANCE: f64 = 1.2;

/// A number that grows while an operation is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growing {
    /// Manifests in a folder, all but one of libraries that do not exist.
    Manifests,
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
    /// How many calls make the smaller of two runs whose instructions are compared.
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
pub const PLANS: [Plan; 8] = [
    plan(Growing::Manifests, "extensions", &[1, 10, 100, 1000], 0, 2),
    plan(Growing::Manifests, "instance", &[1, 10, 100, 1000], 0, 2),
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

/// Measures all series whose operation's name holds `only`.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn series(loaders: &[Loader], tools: Tools, only: &str) -> Result<Vec<Series>, String> {
    let driver = NullDriver::compile()?;
    let plans = PLANS.into_iter().filter(|plan| plan.operation.contains(only));
    plans.map(|plan| one(&driver, loaders, tools, plan)).collect()
}

fn one(driver: &NullDriver, loaders: &[Loader], tools: Tools, plan: Plan) -> Result<Series, String> {
    let mut points = Vec::new();
    for number in plan.numbers {
        eprintln!("measuring {} with {number} {}", plan.operation, plan.growing.noun());
        let (manifests, drivers) = match plan.growing {
            Growing::Manifests => (*number as usize, 1),
            Growing::Drivers => (*number as usize, *number as usize),
            Growing::Instances | Growing::Threads => (1, 1),
        };
        let stage = Stage::new(driver, manifests, drivers).map_err(|error| error.to_string())?;
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
                cost.instructions = Some(instructions::per_call(&stage, task)?);
            }
        }
        points.push(costs);
    }
    Ok(Series { plan, points })
}
