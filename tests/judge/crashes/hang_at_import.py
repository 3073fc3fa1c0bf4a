"""Its import never ends.

task: relu
expect: timeout
options: {"call_limit_ms": 1000}
"""

while True:
    pass
