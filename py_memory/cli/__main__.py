"""`python -m py_memory.cli`, where the command `py-memory` is not on the path."""

import sys

from .main import main

sys.exit(main())
