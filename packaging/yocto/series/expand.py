"""Parses a recipe with BitBake and the files of a series, and prints its tasks as BitBake runs them, as JSON.

usage: expand.py SERIES RECIPE [VARIABLE=VALUE...], with operators and overrides as in a configuration (PACKAGECONFIG:append)
"""
import io
import json
import logging
import re
import sys
import types
from pathlib import Path

# BitBake's parser imports its hash servers, which the package lacks and parsing does not use.
for name in ["hashserv", "hashserv.client"]:
    sys.modules[name] = types.ModuleType(name)

import bb.codeparser
import bb.data
import bb.parse

TASKS = ["do_configure", "do_compile", "do_install"]
SHOWN = ["LICENSE", "RUSTFLAGS", "SRC_URI", "B", "D", "CARGO_TARGET_SUBDIR"]


def parse(series, recipe, settings):
    here = Path(__file__).parent
    assert (here / series).is_dir(), f"nothing describes {series}"
    data = bb.data.init()
    data.setVar("BBPATH", f"{here / series}:{here / 'common'}")
    data.setVar("__bbclasstype", "recipe")
    data.setVar("BB_SIGNATURE_HANDLER", "noop")
    data = bb.parse.handle("conf/bitbake.conf", data, True)
    bb.parse.BBHandler.inherit("base", "bitbake.conf", 0, data)
    for setting in settings:
        name, value = setting.split("=", 1)
        data.setVar(name, value)
    bb.parse.init_parser(data)
    return bb.parse.handle(recipe, data)[""]


def script(data, task):
    text = io.StringIO()
    bb.data.emit_func(task, text, data)
    return f"{text.getvalue()}{task}\n"


def functions(data, name, seen):
    """Adds a shell function and those that it calls to `seen`, and yields their commands that are not functions of the recipe."""
    seen.add(name)
    parser = bb.codeparser.ShellParser(name, logging.getLogger())
    for command in parser.parse_shell(data.getVar(name)):
        command = command.strip('"')
        if not data.getVarFlag(command, "func", False):
            yield command
        elif command not in seen:
            yield from functions(data, command, seen)


def main():
    logging.basicConfig()
    series, recipe, *settings = sys.argv[1:]
    data = parse(series, str(Path(recipe).resolve()), settings)
    called = set()
    commands = {command for task in TASKS for command in functions(data, task, called)}
    bodies = "".join(data.getVar(name) for name in called)
    print(json.dumps({
        "tasks": {task: script(data, task) for task in TASKS},
        "unknown": sorted(commands - set(data.getVar("HOSTTOOLS").split())),
        # BitBake leaves a variable without a value as it is.
        "undefined": sorted(set(re.findall(r"\$\{[A-Z][A-Z0-9_]*\}", bodies))),
        "variables": {name: data.getVar(name) for name in SHOWN},
    }))


main()
