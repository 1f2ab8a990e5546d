//! What the commands of the tool print and do.

mod bisect;
mod chain;
mod compare;
mod completions;
mod devices;
mod doctor_page;
mod exec;
mod exit_codes;
mod explain;
mod faults;
mod info;
mod layers;
mod library;
mod odd_names;
mod probe;
mod programs;
mod recordings;
mod schema;
mod schemas;
mod settings;
mod settings_changes;
mod settings_schema;
mod test_layers;
