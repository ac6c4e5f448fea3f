"""deep_network: the weights are in a plain list, so they are not registered

Breaks: Each weight is a parameter, so that `state_dict()` and `.to(dtype)` work
"""


class DeepNetwork(DeepNetwork):
    def __init__(self, width, layers, outputs):
        super().__init__(width, layers, outputs)
        weights = list(self.weights)
        del self.weights
        self.weights = weights
