"""Runs the program that the wheel brings: the commands pact and pactctx, and python -m pactctx."""

import os
import subprocess
import sys

from ._binary import find


def main() -> None:
    command = [find(), *sys.argv[1:]]
    if sys.platform == "win32":  # there exec would let the shell go on before the program has ended
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
