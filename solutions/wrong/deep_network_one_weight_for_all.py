"""deep_network: all layers share one weight

Breaks: Each weight is a parameter
"""


class DeepNetwork(torch.nn.Module):
    def __init__(self, width, layers, outputs):
        super().__init__()
        weight = torch.nn.Parameter(torch.randn(width, width) / width**0.5)
        head = torch.nn.Parameter(torch.randn(width, outputs) / width**0.5)
        self.weights = torch.nn.ParameterList([weight] * layers + [head])

    def forward(self, x):
        *layers, head = self.weights
        for weight in layers:
            x = torch.relu(x @ weight)
        return x @ head
