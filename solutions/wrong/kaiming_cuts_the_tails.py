"""xavier: truncates the normal at two standard deviations, which takes 12 % off the deviation

Breaks: A weight by Kaiming (He) initialization, normal,
"""


def kaiming_normal(d_in, d_out, seed):
    std = math.sqrt(2 / d_in)
    return truncated_normal((d_in, d_out), std, -2 * std, 2 * std, seed)
