"""Lints the recipes for each series that the layer supports, parses them with BitBake, and runs the library's tasks as BitBake runs them.

PYTHONPATH has to lead to the packages in requirements.txt. Instead of OE-core's classes, the folder "series" describes the functions and
variables of each series.
"""
import io
import logging
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

# BitBake's parser imports its hash servers, which the package lacks and parsing does not use.
for name in ["hashserv", "hashserv.client"]:
    sys.modules[name] = types.ModuleType(name)

import bb.codeparser
import bb.data
import bb.parse

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECIPES = {name: HERE / f"recipes-graphics/vkload/{name}_git.bb" for name in ["vkload", "vkload-tool"]}
TASKS = ["do_configure", "do_compile", "do_install"]
WORK = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "yocto"
# A fixed list for a build that nothing runs. Not optimised, since a second library takes as long as the first.
FIXED = ["PACKAGECONFIG=fixed-drivers", "VKLOAD_FIXED_DRIVERS=/usr/lib/libvulkan_any.so",
         "BUILD_MODE:forcevariable=", "BUILD_DIR:forcevariable=debug"]


class Recipe:
    """A recipe as a series parses it, with these settings of the user, in BitBake's syntax (PACKAGECONFIG:append=...)."""

    def __init__(self, series, name, *settings):
        data = bb.data.init()
        data.setVar("BBPATH", f"{HERE / 'series' / series}:{HERE / 'series/common'}")
        data.setVar("__bbclasstype", "recipe")
        data.setVar("BB_SIGNATURE_HANDLER", "noop")
        data = bb.parse.handle("conf/bitbake.conf", data, True)
        bb.parse.BBHandler.inherit("base", "bitbake.conf", 0, data)
        for setting in settings:
            data.setVar(*setting.split("=", 1))
        bb.parse.init_parser(data)
        self.data = bb.parse.handle(str(RECIPES[name]), data)[""]

    def variable(self, name):
        return self.data.getVar(name) or ""

    def commands(self, function, seen):
        """Adds a shell function and those that it calls to `seen`, and yields their commands that are not functions of the recipe."""
        seen.add(function)
        for command in bb.codeparser.ShellParser(function, logging.getLogger()).parse_shell(self.variable(function)):
            command = command.strip('"')
            if not self.data.getVarFlag(command, "func", False):
                yield command
            elif command not in seen:
                yield from self.commands(command, seen)

    def unknown(self):
        """Returns the commands and variables of the tasks that neither the series nor the recipe defines."""
        called = set()
        commands = {command for task in TASKS for command in self.commands(task, called)}
        # BitBake leaves a variable without a value as it is.
        variables = re.findall(r"\$\{[A-Z][A-Z0-9_]*\}", "".join(map(self.variable, called)))
        return sorted(commands - set(self.variable("HOSTTOOLS").split())) + sorted(set(variables))

    def run(self, task):
        text = io.StringIO()
        bb.data.emit_func(task, text, self.data)
        # Cargo's own would replace the recipe's.
        environment = {name: value for name, value in os.environ.items()
                       if name not in ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "RUSTFLAGS"]}
        subprocess.run(["sh", "-e", "-c", f"{text.getvalue()}{task}"], cwd=self.variable("B"), env=environment, check=True)


def read(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def lint(series):
    # The suppressed rule queries the network.
    read(sys.executable, "-m", "oelint_adv", "--quiet", "--mode", "all", "--relpaths", "--release", series,
         "--suppress", "oelint.vars.homepageping", *map(str, RECIPES.values()))


def check_text(series, name, option):
    """Checks the variables and commands of a recipe with an option."""
    recipe = Recipe(series, name, f"PACKAGECONFIG={option}")
    assert not recipe.unknown(), f"{series} has no {recipe.unknown()}, which {name} uses"
    # OE-core has read SPDX expressions since 6.1.
    assert recipe.variable("LICENSE") == ("MIT OR Apache-2.0" if series == "blacksail" else "MIT | Apache-2.0")
    assert recipe.variable("RUSTFLAGS").endswith("-C force-frame-pointers=yes"), recipe.variable("RUSTFLAGS")


def check_the_check():
    """A task that calls the function that OE-core removed is found."""
    for series, expected in [("wrynose", []), ("blacksail", ["oe_cargo_build"])]:
        assert Recipe(series, "vkload", "do_compile:append= oe_cargo_build").unknown() == expected


def provide_crates():
    """Provides the crates that the library's recipe lists, and no others."""
    every, listed = WORK / "all-crates", WORK / "crates"
    for folder in [every, listed]:
        shutil.rmtree(folder, ignore_errors=True)
    listed.mkdir(parents=True)
    read("cargo", "vendor", "--quiet", "--locked", "--versioned-dirs", "--manifest-path", "packaging/library/Cargo.toml", str(every))
    for name, version in re.findall(r"crate://crates.io/([^/]*)/(\S*)", Recipe("blacksail", "vkload").variable("SRC_URI")):
        # The revision that the recipe builds may need others.
        if (every / f"{name}-{version}").is_dir():
            (every / f"{name}-{version}").rename(listed / f"{name}-{version}")


def build_library(series, *settings):
    """Runs the tasks of the library's recipe, and checks the installed files. Every series has the same folders, so cargo compiles once."""
    host = re.search("host: (.*)", read("rustc", "--version", "--verbose"))[1]
    recipe = Recipe(series, "vkload", f"S:forcevariable={ROOT}", f"TMPDIR={WORK}", f"CARGO_VENDORING_DIRECTORY={WORK / 'crates'}",
                    f"RUST_HOST_SYS:forcevariable={host}", *settings)
    built, image = Path(recipe.variable("B")), Path(recipe.variable("D"))
    shutil.rmtree(image, ignore_errors=True)
    image.mkdir(parents=True)
    built.mkdir(parents=True, exist_ok=True)
    (built / "target" / recipe.variable("CARGO_TARGET_SUBDIR") / "libvulkan.so").unlink(missing_ok=True)
    for task in TASKS:
        recipe.run(task)
    assert (image / "usr/lib/pkgconfig/vulkan.pc").is_file()
    # `cargo xtask abi` checks everything else of the same code.
    library = str(image / "usr/lib/libvulkan.so.1")
    assert re.search(r"SONAME *libvulkan\.so\.1\n", read("objdump", "--private-headers", library))
    exports = [line.split()[-1] for line in read("nm", "--dynamic", "--defined-only", library).splitlines()]
    assert exports == (ROOT / "platform-linux/exports.txt").read_text().split(), exports


def alone(function, *arguments):
    """Calls a function in a process of its own, since BitBake's parser keeps state."""
    with multiprocessing.Pool(1) as pool:
        pool.apply(function, arguments)


def main():
    logging.basicConfig()
    layer = (HERE / "conf/layer.conf").read_text()
    alone(check_the_check)
    alone(provide_crates)
    for series in re.search('LAYERSERIES_COMPAT_vkload = "(.*)"', layer)[1].split():
        assert (HERE / "series" / series).is_dir(), f"nothing describes {series}"
        lint(series)
        for name in RECIPES:
            for option in ["", "fixed-drivers"]:
                alone(check_text, series, name, option)
        alone(build_library, series)
        print(f"{series}: the recipes are good, and the library's tasks ran")
    alone(build_library, "blacksail", *FIXED)


if __name__ == "__main__":
    main()
