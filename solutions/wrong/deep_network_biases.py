"""deep_network: each product has a bias

Breaks: There are no biases
"""


class DeepNetwork(DeepNetwork):
    def __init__(self, width, layers, outputs):
        super().__init__(width, layers, outputs)
        sizes = [width] * layers + [outputs]
        self.biases = torch.nn.ParameterList(torch.zeros(size) for size in sizes)

    def forward(self, x):
        weights, biases = list(self.weights), list(self.biases)
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            x = torch.relu(x @ weight + bias)
        return x @ weights[-1] + biases[-1]
