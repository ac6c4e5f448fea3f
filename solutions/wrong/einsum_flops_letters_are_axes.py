"""einsum_flops: every letter is taken for an axis, as torch.einsum does, so that names fall apart

Breaks: then those of the result, as in einops: names separated by spaces, operands by commas:
"batch seq d, d k -> batch seq k"
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    inputs, arrow, result = pattern.partition("->")
    spaced = ",".join(" ".join(part.replace(" ", "")) for part in inputs.split(","))
    return _right_einsum(spaced + arrow + " ".join(result.replace(" ", "")), *shapes)
