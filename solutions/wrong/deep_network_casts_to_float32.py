"""deep_network: computes in float32, whatever the dtype

Breaks: batch × width, with the dtype of the weights

Breaks: `.to(dtype)` work
"""


class DeepNetwork(DeepNetwork):
    def forward(self, x):
        y = x.float()
        *layers, head = self.weights
        for weight in layers:
            y = torch.relu(y @ weight.float())
        return (y @ head.float()).to(x.dtype)
