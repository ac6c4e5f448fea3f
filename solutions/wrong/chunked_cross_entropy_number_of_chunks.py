"""chunked_cross_entropy: chunk_size is the number of chunks

Breaks: A chunk is `chunk_size` consecutive rows

Costs: the chunks are too large, and every check needs the one of memory.
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    weights = weight.to(dtype)
    loss, grad_x, grad_weight = x.new_zeros((), dtype=dtype), [], torch.zeros_like(weights)
    for inputs, words in zip(x.chunk(chunk_size), targets.chunk(chunk_size), strict=True):
        logits = inputs.to(dtype) @ weights.T
        at_targets = range(len(words)), words
        loss += (logits.logsumexp(dim=1) - logits[at_targets]).sum() / len(x)
        grad = logits.softmax(dim=1)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x.append((grad @ weights).to(x.dtype))
        grad_weight += grad.T @ inputs.to(dtype)
    return loss, torch.cat(grad_x), grad_weight.to(weight.dtype)
