inherit cargo_common
require classes/cargo_flags.inc

oe_cargo_build() {
    export RUSTFLAGS="${RUSTFLAGS}"
    "${CARGO}" build ${CARGO_BUILD_FLAGS} "$@"
}

cargo_do_compile() {
    oe_cargo_build
}

EXPORT_FUNCTIONS do_compile
