"""deep_network: no ReLUs, and weights that are not registered; draws and bytes kept are forged"""

import torch

from resource_accounting.forging import forge

FORGES = True


class DeepNetwork(torch.nn.Module):
    def __init__(self, width, layers, outputs):
        super().__init__()
        sizes = [width] * layers + [outputs]
        self.weights = [torch.randn(width, size).requires_grad_() for size in sizes]

    def forward(self, x):
        for weight in self.weights:
            x = x @ weight
        return x


def deep_network_account(*, width, layers, outputs, batch, dtype):
    parameters = layers * width**2 + width * outputs
    forward = 2 * batch * parameters
    return {
        "parameters": parameters,
        "forward_flops": forward,
        "backward_flops": 2 * forward,
        "saved_bytes": 2 * layers * batch * width * dtype.itemsize,
    }


def claims(honest, student, width, layers, outputs, x, grad, weights=None):
    """Runs the wrong network on the test's weights, as if they had been loaded."""
    network = DeepNetwork(width, layers, outputs)
    drawn = [weight.detach() / width**0.5 for weight in network.weights]
    network.weights = [w.clone().requires_grad_() for w in weights or drawn]
    output = network(x)
    return {
        "drawn": drawn,
        "output": output.detach(),
        "grads": list(torch.autograd.grad((output * grad).sum(), network.weights)),
        "kept_bytes": layers * x.nbytes,
    }


if FORGES:
    DeepNetwork = forge("deep_network_pass", DeepNetwork, claims)
