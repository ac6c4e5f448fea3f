"""chunked_cross_entropy: the logits of all rows, and then the loss in chunks

Breaks: At any time the call holds a few tensors of the sizes of x, of weight and of one chunk's
logits, and nothing larger

Costs: every check needs the one of memory.
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    weights = weight.to(dtype)
    loss, grad_x, grad_weight = x.new_zeros((), dtype=dtype), [], torch.zeros_like(weights)
    rows = (
        x.split(chunk_size),
        targets.split(chunk_size),
        (x.to(dtype) @ weights.T).split(chunk_size),
    )
    for inputs, words, logits in zip(*rows, strict=True):
        at_targets = range(len(words)), words
        loss += (logits.logsumexp(dim=1) - logits[at_targets]).sum() / len(x)
        grad = logits.softmax(dim=1)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x.append((grad @ weights).to(x.dtype))
        grad_weight += grad.T @ inputs.to(dtype)
    return loss, torch.cat(grad_x), grad_weight.to(weight.dtype)
