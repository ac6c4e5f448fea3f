"""deep_network: one weight is drawn, and all layers begin as copies of it

Breaks: each element is drawn independently
"""


class DeepNetwork(DeepNetwork):
    def __init__(self, width, layers, outputs):
        super().__init__(width, layers, outputs)
        for weight in list(self.weights)[1:-1]:
            weight.data = self.weights[0].detach().clone()
