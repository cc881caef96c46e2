"""`python -m proxy` is `toolwire`."""

import sys

from proxy.cli import main

sys.exit(main())
