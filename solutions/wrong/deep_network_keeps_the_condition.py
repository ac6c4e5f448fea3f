"""deep_network (public): torch.where in place of a ReLU, and autograd keeps its condition too

Breaks: Autograd keeps one tensor for each layer, its output: ReLU's backward pass needs no other
"""


class DeepNetwork(DeepNetwork):
    def forward(self, x):
        *layers, head = self.weights
        for weight in layers:
            x = x @ weight
            x = torch.where(x > 0, x, 0)
        return x @ head
