"""`python -m ragdash`."""

import sys

from ragdash.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
