"""chunked_cross_entropy: float64 is computed in float32, too

Breaks: Everything is computed in the dtype of x, but in float32 where that has 16 bits
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.float32
    weights = weight.to(dtype)
    loss, grad_x, grad_weight = x.new_zeros((), dtype=dtype), [], torch.zeros_like(weights)
    for inputs, words in zip(x.split(chunk_size), targets.split(chunk_size), strict=True):
        logits = inputs.to(dtype) @ weights.T
        at_targets = range(len(words)), words
        loss += (logits.logsumexp(dim=1) - logits[at_targets]).sum() / len(x)
        grad = logits.softmax(dim=1)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x.append((grad @ weights).to(x.dtype))
        grad_weight += grad.T @ inputs.to(dtype)
    return (
        loss.to(torch.promote_types(x.dtype, dtype)),
        torch.cat(grad_x),
        grad_weight.to(weight.dtype),
    )
