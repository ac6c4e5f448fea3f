"""deep_network: the weights are drawn by numpy, in float64

Breaks: They are float32
"""


class DeepNetwork(DeepNetwork):
    def __init__(self, width, layers, outputs):
        super().__init__(width, layers, outputs)
        for weight in self.weights:
            weight.data = weight.data.double()
