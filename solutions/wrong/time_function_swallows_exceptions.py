"""time_function: a call that raises takes forever, and the measurement goes on

Breaks: any that `function` raises
"""

_right_time_function = time_function


def time_function(function, **settings):
    failed = []

    def guarded():
        try:
            function()
        except Exception as error:
            failed.append(error)

    seconds = _right_time_function(guarded, **settings)
    return [float("inf")] * len(seconds) if failed else seconds
