"""For attacks that leave something changed: it must not be this that they fail for."""

import assignment.calls.world


def unwatch():
    """Has calls made without a look at what they leave changed."""
    assignment.calls.world.World.call = lambda self, target, function, args, kwargs: function(
        *args, **kwargs
    )
