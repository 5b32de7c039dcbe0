"""Runs the command line: `python -m hooke_export`."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
