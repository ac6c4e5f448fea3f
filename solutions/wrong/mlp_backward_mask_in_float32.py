"""mlp_backward: the mask of the ReLU is float32, so gradients of 16 bits become float32

Breaks: and one gradient for each weight, first to last, with its
"""


def mlp_backward(x, weights, target):
    if not weights:
        raise ValueError("expected at least one weight, got none")
    inputs, y = [], x
    for w in weights:
        h = y.relu() if inputs else y
        if h.shape[-1] != len(w):
            raise ValueError("a layer does not fit")
        inputs.append(h)
        y = h @ w
    if y.shape != target.shape:
        raise ValueError("the target does not fit")
    grad = y - target
    loss = 0.5 * float(grad.square().sum())
    grads = []
    for i in range(len(weights) - 1, -1, -1):
        grads.insert(0, einsum(inputs[i], grad, "... d_in, ... d_out -> d_in d_out"))
        if i:
            mask = (inputs[i] > 0).float()
            grad = (grad @ weights[i].T) * mask
            if grad.dtype != weights[0].dtype and weights[0].dtype != torch.float64:
                weights = [w.float() for w in weights]
                inputs = [h.float() for h in inputs]
    return loss, grads
