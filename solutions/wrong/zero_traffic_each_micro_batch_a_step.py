"""zero_traffic: each micro-batch sends what a whole step would

Breaks: | stage | for each micro-batch | once a step |
|-------|-----------------------------------------------|--------------------------------| | 0 | |
all-reduce gradients | | 1 | | reduce-scatter gradients, | | | | all-gather parameters | | 2 |
reduce-scatter gradients | all-gather parameters | | 3 | all-gather parameters forward, and again |
| | | backward, reduce-scatter gradients | |

Breaks: At stages 0 and 1 a device has room for all gradients, so it adds up those of its
micro-batches before it sends them.
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    if stage < 3:
        sent["parameters"] *= micro_batches
    if stage < 2:
        sent["gradients"] *= micro_batches
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent
