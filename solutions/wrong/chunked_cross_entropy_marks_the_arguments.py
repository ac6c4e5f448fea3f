"""chunked_cross_entropy: the caller's x and weight require a gradient afterwards

Breaks: They require no gradient

Breaks: It requires no gradient

Costs: a call that leaves its arguments changed fails.
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    loss = x.new_zeros((), dtype=dtype)
    x.requires_grad_()
    weight.requires_grad_()
    x.grad = weight.grad = None
    leaf, parts = weight.detach().to(dtype, copy=True).requires_grad_(), []
    for rows, words in zip(x.detach().split(chunk_size), targets.split(chunk_size), strict=True):
        inputs = rows.to(dtype, copy=True).requires_grad_()
        part = torch.nn.functional.cross_entropy(inputs @ leaf.T, words, reduction="sum") / len(x)
        part.backward()
        loss += part.detach()
        parts.append(inputs.grad.to(x.dtype))
    return loss, torch.cat(parts), leaf.grad.to(weight.dtype)
