//! `vkload layers`: lists the layers and which are active, and runs a program once with some of them on or off.

mod output;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

use vkload_core::discovery::{LayerCandidate, LayerRequest, SearchLimit};

use crate::arguments::LayersArguments;
use crate::diagnosis::subject::Target;
use crate::exec;
use crate::facts::{self, Variables, own_variables};
use crate::lossless;
use crate::output::{answer, fail};
use crate::planned::Planned;
use crate::probe::{self, Trial};
use crate::switches::{self, Changes, Wanted};
use crate::view::LayerView;

/// A layer, and the result of trying it.
struct Row {
    view: LayerView,
    description: String,
    /// Why it is active, or why not.
    why: String,
    /// The problem. Empty if none was found, or if the layer was not tried.
    problem: String,
}

/// Lists the layers, or becomes the program.
pub(crate) fn run(options: &LayersArguments) -> ExitCode {
    let variables = own_variables();
    let (planned, changes) = match switched(options, &variables) {
        Ok(both) => both,
        Err(problem) => return fail(&problem),
    };
    let Some((name, arguments)) = options.program.split_first() else {
        return answer(list(options, &planned, &changes, &variables).map(|list| (list, true)));
    };
    let mut command = Command::new(name);
    switches::apply(command.args(arguments), &changes);
    exec::replace_by(command, "layers")
}

fn list(
    options: &LayersArguments,
    planned: &Planned,
    changes: &Changes,
    variables: &Variables,
) -> Result<String, String> {
    let tried: Vec<_> =
        if options.no_probe { Vec::new() } else { LayerView::active_by_default(&planned.layers) };
    let tried: Vec<usize> = tried.iter().map(|layer| layer.index).collect();
    let rows = rows(planned, &probe::layers::try_out(planned, &tried, changes))?;
    let mut notes: Vec<_> = planned.layers.notes.iter().map(ToString::to_string).collect();
    let limit = planned.layers.limit().filter(|limit| *limit != SearchLimit::Settings); // has a note
    let is_found = |name: &str| rows.iter().any(|row| row.view.name == name);
    for (name, manifest) in facts::explicit_layers(variables).iter().filter(|(name, _)| !is_found(name)) {
        notes.extend(limit.map(|limit| format!("{name} ({manifest}) is hidden, since {limit}")));
    }
    Ok(output::render(&rows, changes, &notes, options.json))
}

/// Returns the plan with the layers that the options turn on and off, and the variable changes for it.
fn switched(options: &LayersArguments, variables: &Variables) -> Result<(Planned, Changes), String> {
    let name = options.program.first().map(Path::new);
    // A missing program is reported when it is started.
    let target = Target::program(name, usize::BITS).or_else(|_| Target::program(None, usize::BITS))?;
    let (executable, bits) = (target.executable.as_deref(), target.bits);
    let is_list = options.program.is_empty() && !options.own && !options.only;
    let is_list =
        is_list && options.enable.is_empty() && options.disable.is_empty() && options.order.is_empty();
    if is_list {
        return Planned::in_use().map(|planned| (planned, Changes::new()));
    }
    let planned = Planned::for_program(variables, executable, bits)?;
    if let Some(name) = options.enable.iter().find(|name| options.disable.contains(name)) {
        return Err(format!("{name} cannot be both enabled and disabled"));
    }
    let indices =
        |names: &[String]| names.iter().map(|name| index_of(&planned, name)).collect::<Result<Vec<_>, _>>();
    let (on, hidden, order) =
        (indices(&options.enable)?, indices(&options.disable)?, indices(&options.order)?);
    let mut off = hidden.clone();
    if options.only {
        off.extend(others(&planned, &on, &hidden)?);
    }
    let wanted = Wanted { on: &on, off: &off, hidden: &hidden, order: &order };
    let changes = switches::changes(&planned, variables, wanted)?;
    let after = switches::plan(variables, &changes, executable, bits)?;
    let active = switches::active_names(&after);
    if let Some(name) = options.enable.iter().find(|name| !active.contains(*name)) {
        return Err(format!("{name} cannot be turned on for one run: {}", obstacle(&after, name)));
    }
    let off = off.iter().filter_map(|index| planned.layers.layers.get(*index));
    if let Some(layer) = off.map(|layer| lossless::text(layer.name())).find(|name| active.contains(name)) {
        return Err(format!(
            "{layer} cannot be turned off for one run: no variable of its manifest or of the loader does it"
        ));
    }
    Ok((after, changes))
}

pub(crate) fn index_of(planned: &Planned, name: &str) -> Result<usize, String> {
    let layers = &planned.layers.layers;
    let named = || layers.iter().position(|layer| layer.name() == name.as_bytes());
    planned.layers.usable(name.as_bytes()).or_else(named).ok_or_else(|| {
        let known: Vec<String> = layers.iter().map(|layer| lossless::text(layer.name())).collect();
        let hint = match &nearest(name, &known)[..] {
            [] => "`vkload layers` lists those that are installed".to_owned(),
            names => format!("did you mean {}?", names.join(" or ")),
        };
        format!("no layer {name}; {hint}")
    })
}

/// Returns the names among these that may have been meant.
fn nearest<'a>(given: &str, known: &'a [String]) -> Vec<&'a str> {
    let upper = given.to_ascii_uppercase();
    let distance = |name: &&str| {
        let name = name.to_ascii_uppercase();
        if name.contains(&upper) { 0 } else { strsim::damerau_levenshtein(&name, &upper) }
    };
    let known = || known.iter().map(String::as_str).filter(|name| !name.is_empty());
    let least = known().map(|name| distance(&name)).min().filter(|least| *least <= given.len() / 3);
    known().filter(|name| Some(distance(name)) == least).collect()
}

/// Returns the active layers that are neither to be on nor part of one that is.
fn others(planned: &Planned, on: &[usize], hidden: &[usize]) -> Result<Vec<usize>, String> {
    let mut stay = on.to_vec();
    for index in on {
        stay.extend(planned.layers.libraries(*index).map_err(|_| "memory ran out")?);
    }
    let active = planned.layers.activate(&LayerRequest::default()).map_err(|_| "memory ran out")?;
    let indices = active.layers.iter().map(|active| active.layer);
    Ok(indices.filter(|index| !stay.contains(index) && !hidden.contains(index)).collect())
}

/// Returns why a layer is not active.
fn obstacle(planned: &Planned, name: &str) -> String {
    let rows = rows(planned, &BTreeMap::new()).unwrap_or_default();
    rows.into_iter()
        .find(|row| row.view.name == name)
        .map_or_else(|| "it is no longer found".to_owned(), |row| row.why)
}

/// Returns every layer that was found, in order of discovery, with the results of those that were tried.
fn rows(planned: &Planned, tried: &BTreeMap<usize, Trial>) -> Result<Vec<Row>, String> {
    let views = LayerView::all(&planned.layers).map_err(|_| "memory ran out")?;
    let row = |(view, candidate): (LayerView, &LayerCandidate)| {
        let trial = tried.get(&view.index);
        let problem = trial.and_then(Trial::problem_of_layer).unwrap_or_default();
        let why = view.why(planned);
        let said = candidate.manifest.as_ref();
        let description = said.map(|said| lossless::text(&said.description)).unwrap_or_default();
        match trial.filter(|trial| view.is_active() && trial.is_unusable()) {
            Some(trial) => Row {
                view: LayerView { cause: None, outcome: trial.fault.clone().into(), ..view },
                description,
                why: problem.clone(),
                problem,
            },
            None => Row { view, description, why, problem },
        }
    };
    Ok(views.into_iter().zip(&planned.layers.layers).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_and_a_misspelt_one_are_recognized() {
        let known =
            ["", "VK_LAYER_KHRONOS_validation", "VK_LAYER_MANGOHUD_overlay_x86_64"].map(str::to_owned);
        assert_eq!(nearest("mangohud", &known), ["VK_LAYER_MANGOHUD_overlay_x86_64"]);
        assert_eq!(nearest("VK_LAYER_KHRONOS_valdiation", &known), ["VK_LAYER_KHRONOS_validation"]);
        assert_eq!(nearest("layer", &known).len(), 2);
        assert!(nearest("VK_LAYER_other", &known).is_empty());
    }
}
