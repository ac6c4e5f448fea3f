"""deep_network: the head is made before the layers, so it is first in parameters()

Breaks: `parameters()` yields them from the first layer's to the head's
"""


class DeepNetwork(torch.nn.Module):
    def __init__(self, width, layers, outputs):
        super().__init__()
        self.head = torch.nn.Parameter(torch.randn(width, outputs) / width**0.5)
        self.layers = torch.nn.ParameterList(
            torch.randn(width, width) / width**0.5 for _ in range(layers)
        )

    def forward(self, x):
        for weight in self.layers:
            x = torch.relu(x @ weight)
        return x @ self.head
