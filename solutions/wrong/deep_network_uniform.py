"""deep_network: uniform weights of the right deviation, as a torch.nn.Linear would draw

Breaks: from the normal distribution

Breaks: and is drawn from a uniform distribution
"""


class DeepNetwork(DeepNetwork):
    def __init__(self, width, layers, outputs):
        super().__init__(width, layers, outputs)
        bound = (3 / width) ** 0.5
        for weight in self.weights:
            weight.data.uniform_(-bound, bound)
