"""chunked_cross_entropy: every chunk has the first chunk's targets

Breaks: the index of each row's right word, from 0 to vocab − 1

Costs: nearly all rows have another loss and gradient.
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    weights = weight.to(dtype)
    loss, grad_x, grad_weight = x.new_zeros((), dtype=dtype), [], torch.zeros_like(weights)
    for inputs, words in ((rows, targets[: len(rows)]) for rows in x.split(chunk_size)):
        logits = inputs.to(dtype) @ weights.T
        at_targets = range(len(words)), words
        loss += (logits.logsumexp(dim=1) - logits[at_targets]).sum() / len(x)
        grad = logits.softmax(dim=1)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x.append((grad @ weights).to(x.dtype))
        grad_weight += grad.T @ inputs.to(dtype)
    return loss, torch.cat(grad_x), grad_weight.to(weight.dtype)
