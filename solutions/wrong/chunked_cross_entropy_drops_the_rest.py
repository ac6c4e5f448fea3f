"""chunked_cross_entropy: rows of a smaller last chunk are left out

Breaks: The last chunk has those that are left, perhaps fewer
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    weights = weight.to(dtype)
    loss, grad_x = x.new_zeros((), dtype=dtype), torch.zeros_like(x)
    grad_weight = torch.zeros_like(weights)
    for i in range(len(x) // chunk_size):
        rows = slice(i * chunk_size, (i + 1) * chunk_size)
        inputs, words = x[rows].to(dtype), targets[rows]
        logits = inputs @ weights.T
        at_targets = range(len(words)), words
        loss += (logits.logsumexp(dim=1) - logits[at_targets]).sum() / len(x)
        grad = logits.softmax(dim=1)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x[rows] = (grad @ weights).to(x.dtype)
        grad_weight += grad.T @ inputs
    return loss, grad_x, grad_weight.to(weight.dtype)
