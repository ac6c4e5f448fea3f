"""hidden_communication: divides in float64 before it rounds up

Breaks: The comparison is exact, for the numbers that the floats hold.

Breaks: If both times are equal at a whole number of tokens, that number is the answer.
"""


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if not (parameters >= 1 and sent_bytes >= 0 and peak_flops > 0 and bandwidth > 0):
        raise ValueError("cannot be")
    return math.ceil(sent_bytes / bandwidth / (6 * parameters / peak_flops))
