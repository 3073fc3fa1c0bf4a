"""Ends its process with code 0 while it is imported.

task: relu
expect: load_error
options: {"call_limit_ms": 1000}
"""

import os

os._exit(0)
