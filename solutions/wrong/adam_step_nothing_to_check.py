"""adamw_step: with empty lists, settings out of range pass

Breaks: but refuses what any step refuses

Breaks: a setting is out of range
"""

_right_step = adam_step


def adam_step(params, *lists, **settings):
    if len(params) or any(map(len, lists)):
        _right_step(params, *lists, **settings)
