"""checkpointed_forward: its own autograd function runs layers again without autocast

Breaks: One that ran under autocast runs again under it
"""


class Segment(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layers, x, _):
        ctx.layers, ctx.random_state = layers, torch.get_rng_state()
        ctx.save_for_backward(x)
        for layer in layers:
            x = layer(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        x = x.detach().requires_grad_(ctx.needs_input_grad[1])
        after = torch.get_rng_state()
        torch.set_rng_state(ctx.random_state)
        with torch.enable_grad():
            y = x
            for layer in ctx.layers:
                y = layer(y)
        torch.set_rng_state(after)
        if y.requires_grad:
            torch.autograd.backward(y, grad)
        return None, x.grad, None


def checkpointed_forward(layers, x, segments):
    bounds = segment_bounds(len(layers), segments)
    # Without an input that requires a gradient, backward would never be called.
    recorded = torch.zeros((), requires_grad=True)
    for start, stop in bounds:
        x = Segment.apply(layers[start:stop], x, recorded)
    return x
