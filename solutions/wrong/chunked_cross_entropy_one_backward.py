"""chunked_cross_entropy: one backward pass through the sum of the chunks' losses

Breaks: At any time the call holds a few tensors of the sizes of x, of weight and of one chunk's
logits, and nothing larger

Costs: the graph holds all chunks, and every check needs the one of memory.
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    inputs, weights = (t.detach().to(dtype).clone().requires_grad_() for t in (x, weight))
    loss = sum(
        torch.nn.functional.cross_entropy(rows @ weights.T, words, reduction="sum")
        for rows, words in zip(inputs.split(chunk_size), targets.split(chunk_size), strict=True)
    ) / len(x)
    loss.backward()
    return loss.detach(), inputs.grad.to(x.dtype), weights.grad.to(weight.dtype)
