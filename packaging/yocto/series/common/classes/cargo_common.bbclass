export CARGO_HOME = "${WORKDIR}/cargo_home"
CARGO_VENDORING_DIRECTORY ??= "${CARGO_HOME}/bitbake"
CARGO_SRC_DIR ??= ""
CARGO_MANIFEST_PATH ??= "${S}/${CARGO_SRC_DIR}/Cargo.toml"
RUST_HOST_SYS = "x86_64-unknown-linux-gnu"
RUST_TARGET_PATH = "${WORKDIR}/rust-targets"
RUSTFLAGS += "--remap-path-prefix=${WORKDIR}=/usr/src/debug"

# No network, and crates from a folder. Output goes to a folder outside the sources.
cargo_common_do_configure() {
    mkdir -p "${CARGO_HOME}"
    cat > "${CARGO_HOME}/config.toml" << END
[source.bitbake]
directory = "${CARGO_VENDORING_DIRECTORY}"
[source.crates-io]
replace-with = "bitbake"
[build]
target-dir = "${B}/target"
END
}

oe_cargo_fix_env() {
    true
}

do_compile:prepend() {
    oe_cargo_fix_env
}

EXPORT_FUNCTIONS do_configure
