//! `vkload bisect`: which layer breaks a program. Runs it with all layers, with none, and by halves.

mod output;
mod search;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::arguments::BisectArguments;
use crate::command::Step;
use crate::diagnosis::asked::{self, Asked};
use crate::diagnosis::subject::Target;
use crate::facts::{Variables, own_variables};
use crate::lossless;
use crate::output::{answer, clear_progress};
use crate::planned::Planned;
use crate::probe::parent::Settings;
use crate::program_run::Program;
use crate::switches::{self, Changes, Wanted};
use crate::view::LayerView;
use search::{Attempt, Verdict};

struct BisectResult {
    program: Vec<String>,
    verdict: Verdict,
    /// The layers that can be left out.
    layers: Vec<Suspect>,
    /// The names of those that nothing turns off for one run.
    stuck: Vec<String>,
    runs: Vec<Attempt>,
    /// The program's requests, if it fails without layers.
    asked: Option<Asked>,
}

/// A layer that is active for the program.
struct Suspect {
    layer: LayerView,
    /// Why it is active, to follow its name.
    why: String,
    off: Step,
}

pub(crate) fn print(options: &BisectArguments) -> ExitCode {
    let result = bisect(options);
    clear_progress();
    answer(
        result.map(|result| {
            (output::render(&result, options.json), result.verdict != Verdict::FailsWithoutLayers)
        }),
    )
}

fn bisect(options: &BisectArguments) -> Result<BisectResult, String> {
    let variables = own_variables();
    let name = options.program.first().map(Path::new);
    let Target { executable, bits, .. } = Target::program(name, usize::BITS)?;
    let planned = Planned::for_program(&variables, executable.as_deref(), bits)?;
    let active: Vec<LayerView> = LayerView::active_by_default(&planned.layers)
        .into_iter()
        .filter(|layer| !layer.library.is_empty())
        .collect();
    let off = |left_out: &[&LayerView]| {
        let off: Vec<usize> = left_out.iter().map(|layer| layer.index).collect();
        switches::changes(&planned, &variables, Wanted { off: &off, ..Wanted::default() })
    };
    let without_all = off(&active.iter().collect::<Vec<_>>())?;
    let left =
        switches::active_names(&switches::plan(&variables, &without_all, executable.as_deref(), bits)?);
    let (stuck, layers): (Vec<LayerView>, Vec<LayerView>) =
        active.into_iter().partition(|layer| left.contains(&layer.name));
    let program = Program {
        words: &options.program,
        limit: Duration::from_secs(options.runs_for.unwrap_or(options.timeout)),
        keeps_running: options.runs_for.is_some(),
    };
    let changes = |on: &[usize]| -> Result<Changes, String> {
        let is_out = |(index, _): &(usize, &LayerView)| !on.contains(index);
        off(&layers.iter().enumerate().filter(is_out).map(|(_, layer)| layer).collect::<Vec<_>>())
    };
    let (verdict, runs) = search::search(&program, options.repeat, layers.len(), &changes)?;
    let asked = (verdict == Verdict::FailsWithoutLayers).then(|| {
        let settings =
            Settings { variables: variables.clone(), limit: program.limit, late: |_, _| {}, stop: None };
        asked::watch(&options.program, &settings, &Changes::new()).ok()
    });
    Ok(BisectResult {
        asked: asked.flatten(),
        program: options.program.iter().map(lossless::of).collect(),
        verdict,
        layers: suspects(&planned, &variables, layers),
        stuck: stuck.into_iter().map(|layer| layer.name).collect(),
        runs,
    })
}

/// Returns the layers, with why they are active and what turns them off.
fn suspects(planned: &Planned, variables: &Variables, layers: Vec<LayerView>) -> Vec<Suspect> {
    let suspect = |layer: LayerView| {
        // The output shows how to turn the layer off on a separate line.
        let why = layer.why(planned).split("; to turn it off").next().unwrap_or_default().to_owned();
        let off = if layer.is_by_settings() {
            let settings = vkload_core::memory::Escaped(&planned.settings.plan.path);
            format!("In {settings}, change \"control\" of {} from \"on\" to \"off\"", layer.name).into()
        } else {
            layer.off(variables).into()
        };
        Suspect { layer, why, off }
    };
    layers.into_iter().map(suspect).collect()
}
