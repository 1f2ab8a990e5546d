//! Repository tasks, run as `cargo xtask NAME`.

mod aar;
mod abi;
mod android_abi;
mod android_link;
mod android_options;
mod android_tree;
mod build;
mod command;
mod driver_abi;
mod elf;
mod fuchsia_abi;
mod r#gen;
mod imports;
mod landing_pads;
mod layers;
mod links;
mod pages;
mod rules;
mod target;
mod test;
mod toolchain;
mod tools;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// The error, for the person at the terminal.
type Failure = Box<dyn std::error::Error>;

/// The tasks of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Build the shared library, alone, into target/release
    Build(build::Options),
    /// Check the exports, imports and contents of the built library, or of another file
    Abi { file: Option<PathBuf> },
    /// Build the null driver for Linux, Android's HAL and Fuchsia, and check its exports and imports
    DriverAbi,
    /// Build Fuchsia's libvulkan.so and check it
    FuchsiaAbi(fuchsia_abi::Options),
    /// Build Android's libraries for four ABIs, and check their exports, imports and contents
    AndroidAbi(android_options::Options),
    /// Pack what android-abi has built for applications, and the Java API, as an Android archive and a Maven repository
    Aar(android_options::Options),
    /// Put what an Android system tree needs for libvulkan.so into a folder, and compile that as its build system does
    AndroidTree,
    /// Write the tables made from vk.xml
    Gen(r#gen::Options),
    /// Build Android's libraries with branch protection, and check where indirect branches may land, or check a file
    LandingPads { file: Option<PathBuf> },
    /// Print the order of each crate's modules, and what runs against it
    Layers,
    /// Write the manual pages of vkload and the completions of shells into a folder
    Pages { folder: PathBuf },
    /// Check that each rule in docs/rules has a test, and the links and the summary of all pages
    Rules,
    /// Compile the tests of the workspace once, and run their programs side by side
    Test(test::Options),
    /// Print the tools and flags for another target as shell variables
    Tools { triple: String },
}

impl Task {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Build(options) => build::run(&options),
            Self::Abi { file } => abi::run(file.as_deref()),
            Self::DriverAbi => driver_abi::run(),
            Self::FuchsiaAbi(options) => fuchsia_abi::run(&options),
            Self::AndroidAbi(options) => android_abi::run(&options),
            Self::Aar(options) => aar::run(&options),
            Self::AndroidTree => android_tree::run(),
            Self::Gen(options) => r#gen::run(&options),
            Self::LandingPads { file } => landing_pads::run(file.as_deref()),
            Self::Layers => layers::run(),
            Self::Pages { folder } => pages::run(&folder),
            Self::Rules => rules::run(),
            Self::Test(options) => test::run(&options),
            Self::Tools { triple } => tools::run(&triple),
        }
    }
}

fn main() -> ExitCode {
    let Err(error) = Task::parse().run() else { return ExitCode::SUCCESS };
    eprintln!("xtask: {error}");
    ExitCode::FAILURE
}
