"""deep_network: the drawn numbers are not divided by √width

Breaks: is drawn independently from the normal distribution with mean 0 and standard deviation 1/√width
"""


class DeepNetwork(DeepNetwork):
    def __init__(self, width, layers, outputs):
        super().__init__(width, layers, outputs)
        for weight in self.weights:
            weight.data = torch.randn(weight.shape)
