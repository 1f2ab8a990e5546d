//! `vkload doctor`: the diagnosis as text, as JSON and as a page. `calls` explains a file of the recorder layer.

mod calls;
mod output;
mod picture;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::arguments::{DoctorArguments, Format};
use crate::chain;
use crate::diagnosis::answer;
use crate::diagnosis::case::Case;
use crate::diagnosis::gather::{Request, Whom, case};
use crate::output::{clear_progress, fail, late, print_escaped as print_output, show_progress};
pub(crate) use picture::picture;

pub(crate) fn print(options: &DoctorArguments) -> ExitCode {
    if let Some(file) = &options.calls {
        return calls::print(file, options.json);
    }
    let whom = match (options.pid, &options.program[..]) {
        (Some(id), _) => Whom::Process(id),
        (None, []) => Whom::AnyProgram(if options.bits_32 { 32 } else { usize::BITS }),
        (None, program) => Whom::Program(program),
    };
    match diagnosis(whom, options.no_probe, options.timeout, options.record.as_deref()) {
        Ok(case) => {
            let format = if options.html { Format::Html } else { Format::Text };
            let (text, code) = rendered(case, chain::format(format, options.json), options.all);
            print_output(&text, code)
        }
        Err(problem) => fail(&problem),
    }
}

/// Returns the case for `whom`. Shows the trials on a terminal.
pub(crate) fn diagnosis(
    whom: Whom<'_>,
    no_probe: bool,
    timeout: u64,
    record: Option<&Path>,
) -> Result<Case, String> {
    let (probe, limit) = (!no_probe, Duration::from_secs(timeout));
    let case = case(&Request { whom, probe, limit, record, progress: &show_progress, late, stop: None });
    clear_progress();
    case
}

/// Returns the answer for this case as text, and the exit code: failure if programs cannot use Vulkan.
pub(crate) fn rendered(case: Case, format: Format, all: bool) -> (String, ExitCode) {
    let answer = answer(case);
    let code = if answer.fails_for_programs() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    (output::render(&answer, format, all), code)
}
