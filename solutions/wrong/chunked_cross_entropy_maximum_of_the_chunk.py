"""chunked_cross_entropy: the largest logit of the chunk is subtracted, not that of each row

Breaks: All three are right for logits in the thousands, too, whose exponentials overflow
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    weights = weight.to(dtype)
    loss, grad_x, grad_weight = x.new_zeros((), dtype=dtype), [], torch.zeros_like(weights)
    for inputs, words in zip(x.split(chunk_size), targets.split(chunk_size), strict=True):
        logits = inputs.to(dtype) @ weights.T
        logits -= logits.max()
        at_targets = range(len(words)), words
        loss += (logits.exp().sum(dim=1).log() - logits[at_targets]).sum() / len(x)
        grad = logits.exp() / logits.exp().sum(dim=1, keepdim=True)
        grad[at_targets] -= 1
        grad /= len(x)
        grad_x.append((grad @ weights).to(x.dtype))
        grad_weight += grad.T @ inputs.to(dtype)
    return loss, torch.cat(grad_x), grad_weight.to(weight.dtype)
