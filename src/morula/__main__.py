"""`python -m morula`: explain, check and show functions of a script; see `morula.diagnostics.command`."""

import sys

from morula.diagnostics.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
