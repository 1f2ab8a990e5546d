//! A layer, a driver and a device as every command shows them: plain data that follows from the plans.

mod device;
mod driver;
mod layer;

pub(crate) use device::{Device, text as device_text, version};
pub(crate) use driver::DriverView;
pub(crate) use layer::{LayerView, switch};

use std::ffi::CStr;

use crate::lossless::text;
use crate::planned::Planned;
use vkload_core::discovery::{Answer, Question};

fn settings_file(planned: &Planned) -> String {
    text(&planned.settings.plan.path)
}

/// Returns the variable with the value that was read, as `NAME=value`. Of a long list, only the element that names `whom` is shown.
fn setting(planned: &Planned, variable: &CStr, whom: &str) -> String {
    let name = variable.to_string_lossy();
    let value =
        planned.snapshot.records().iter().find_map(|record| match (&record.question, &record.answer) {
            (Question::Variable(asked, _), Answer::Value(Some(value))) if asked.as_c_str() == variable => {
                Some(value)
            }
            _ => None,
        });
    value.map_or_else(|| name.to_string(), |value| format!("{name}={}", element(&text(value), whom)))
}

/// How many bytes of a list are shown whole.
const LIST: usize = 64;

/// Returns the list, or if it is long, its element `whom` with dots for the others.
fn element(list: &str, whom: &str) -> String {
    let elements: Vec<&str> = list.split([':', ',']).collect();
    let separator = if list.contains(':') { ':' } else { ',' };
    let Some(index) = elements.iter().position(|one| *one == whom).filter(|_| list.len() > LIST) else {
        return list.to_owned();
    };
    let before = if index > 0 { format!("...{separator}") } else { String::new() };
    let after = if index + 1 < elements.len() { format!("{separator}...") } else { String::new() };
    format!("{before}{whom}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_list_only_the_element_in_question_is_shown() {
        assert_eq!(element("VK_LAYER_a:VK_LAYER_b", "VK_LAYER_b"), "VK_LAYER_a:VK_LAYER_b");
        let long = ["VK_LAYER_first", "VK_LAYER_middle", "VK_LAYER_last", &"x".repeat(LIST)];
        assert_eq!(element(&long.join(":"), "VK_LAYER_first"), "VK_LAYER_first:...");
        assert_eq!(element(&long.join(","), "VK_LAYER_middle"), "...,VK_LAYER_middle,...");
        assert_eq!(element(&long.join(":"), long[3]), format!("...:{}", long[3]));
        assert_eq!(element(&long.join(":"), "VK_LAYER_none"), long.join(":"), "a pattern, for example");
    }
}
