"""chunked_cross_entropy: logits are divided by the root of the width, as attention's scores are

Breaks: The logits are x @ weight.T

Costs: nothing that follows from other logits is right.
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    weights = weight.to(dtype)
    loss, grad_x, grad_weight = x.new_zeros((), dtype=dtype), [], torch.zeros_like(weights)
    for inputs, words in zip(x.split(chunk_size), targets.split(chunk_size), strict=True):
        logits = inputs.to(dtype) @ weights.T / x.shape[1] ** 0.5
        at_targets = range(len(words)), words
        loss += (logits.logsumexp(dim=1) - logits[at_targets]).sum() / len(x)
        grad = logits.softmax(dim=1)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x.append((grad @ weights / x.shape[1] ** 0.5).to(x.dtype))
        grad_weight += grad.T @ inputs.to(dtype) / x.shape[1] ** 0.5
    return loss, torch.cat(grad_x), grad_weight.to(weight.dtype)
