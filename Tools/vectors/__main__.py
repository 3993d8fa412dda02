"""Writes TestVectors/; with --check only compares the files; with --audit verifies them independently."""

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
