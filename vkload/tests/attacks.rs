//! What other users, hostile files and hostile programs cannot do to the tool.

mod as_root;
mod elevated_world;
mod files_of_root;
mod hostile;
mod probe;
mod probes;
mod rights;
mod two_users;
mod untrusted;
mod untrusted_files;
