"""The command `hooke-export`."""

from __future__ import annotations

import argparse
import logging
import pickle
import sys
import warnings
from pathlib import Path

from .environments import run_isolated
from .families import FAMILIES, load, refusal


def main(arguments: list[str] | None = None) -> int:
    """Exports one potential and prints the paths of the files."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    folder = options.out.parent
    if not folder.is_dir():
        return _fail(f"cannot write {options.out}: the folder {folder} does not exist")
    reason = refusal(options.family, options.name)
    if reason is not None:
        return _fail(f"cannot export {options.name}: {reason}")
    if options.isolated:
        passed = [word for word in arguments if word != "--isolated"]
        return run_isolated(options.family, passed)
    if not options.verbose:
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
    return _export(options)


def _export(options: argparse.Namespace) -> int:
    try:
        from .write import write

        _say(f"loading {options.name}")
        potential = load(options.family, options.name)
    except NotImplementedError as error:
        return _fail(f"cannot export {options.name}: {error}")
    except ModuleNotFoundError as error:
        return _fail(
            f"cannot export {options.name}: the package {error.name} is not installed here: add --isolated, or "
            f"install './python[torch]' and the packages of {options.family} with pip"
        )
    except (pickle.UnpicklingError, EOFError) as error:
        return _fail(f"cannot read {options.name}: it is not a file of weights ({_first_line(error)})")
    except (OSError, ValueError) as error:
        return _fail(f"cannot read {options.name}: {_first_line(error)}")
    for path in write(potential, options.out, options.everything, _say):
        print(path)
    return 0


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__


def _say(text: str) -> None:
    print(f"hooke-export: {text}", file=sys.stderr, flush=True)


def _fail(text: str) -> int:
    _say(text)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hooke-export", description=__doc__, allow_abbrev=False)
    parser.add_argument("family", choices=sorted(FAMILIES), help="family of potentials")
    parser.add_argument("name", help="name of published weights, or a file; see python/README.md for each family")
    parser.add_argument("-o", "--out", type=_onnx_file, required=True, help="ONNX file to write: OUT.onnx")
    parser.add_argument("--isolated", action="store_true", help="run in an environment with the family's packages")
    parser.add_argument(
        "--everything", action="store_true", help="add a slab, perfect crystals and an isolated atom to the reference"
    )
    parser.add_argument("--verbose", action="store_true", help="show warnings of the family's packages")
    return parser


def _onnx_file(text: str) -> Path:
    """Returns a path that ends in .onnx: the names of manifest and reference are made of it."""
    if not text.endswith(".onnx"):
        raise argparse.ArgumentTypeError(f"the file must end in .onnx, so that its manifest and reference are found; got {text}")
    return Path(text)
