# Without oe_cargo_build, which OE-core removed in August 2026.
inherit cargo_common
require classes/cargo_flags.inc

cargo_do_compile() {
    export RUSTFLAGS="${RUSTFLAGS}"
    "${CARGO}" build ${CARGO_BUILD_FLAGS} ${PACKAGECONFIG_CONFARGS}
}

EXPORT_FUNCTIONS do_compile
