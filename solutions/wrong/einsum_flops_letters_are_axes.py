"""einsum_flops: every letter is taken for an axis, as torch.einsum does, so that names fall apart"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    inputs, arrow, result = pattern.partition("->")
    spaced = ",".join(" ".join(part.replace(" ", "")) for part in inputs.split(","))
    return _right_einsum(spaced + arrow + " ".join(result.replace(" ", "")), *shapes)
