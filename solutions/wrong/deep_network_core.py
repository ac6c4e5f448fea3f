"""deep_network (core): a head alone, and parameters and FLOPs of the forward pass

Breaks: A deep network as in the lecture: `layers` square linear layers, and a linear head.

Breaks: A layer is torch.relu(x @ weight), with a weight of width × width

Breaks: What a forward and a backward pass of a `DeepNetwork` take
"""


class DeepNetwork(torch.nn.Module):
    def __init__(self, width, layers, outputs):
        super().__init__()
        self.head = torch.nn.Parameter(torch.randn(width, outputs) / width**0.5)

    def forward(self, x):
        return x @ self.head


def deep_network_account(*, width, layers, outputs, batch, dtype):
    parameters = layers * width**2 + width * outputs
    return {
        "parameters": parameters,
        "forward_flops": 2 * batch * parameters,
        "backward_flops": 0,
        "saved_bytes": 0,
    }
