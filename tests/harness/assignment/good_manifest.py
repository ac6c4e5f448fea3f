"""A manifest without a mistake."""

GOOD = """\
title = "A course"
package = "package"
version = "1"
points = 3
cuda_points = 4

[limits] # all
seconds = 10
memory_mib = 512

# --- first ---

[[exercise]]
id = "first"
title = "The first"
chapter = "one"
functions = ["one.first"]
points = 1
hint = \"\"\"
[limits]
points = 7 of them
\"\"\"

[[exercise]]
id = "second"
title = "The second"
chapter = "one"
functions = [
    "one.first",
    "one.second",
]
points = 2
hint = "h"
depends_on = ["first"]
limits = { memory_mib = 64 }

[[exercise]] # raced
id = "raced"
title = "The third"
chapter = "two"
functions = ["two.third"]
points = 4
hint = "h"
needs = ["cuda"]

[exercise.limits]
seconds = 1.5
"""
