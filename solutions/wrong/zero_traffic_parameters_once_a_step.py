"""zero_traffic: at stage 3 all micro-batches share what was gathered once

Breaks: | stage | for each micro-batch | once a step |
|-------|-----------------------------------------------|--------------------------------| | 0 | |
all-reduce gradients | | 1 | | reduce-scatter gradients, | | | | all-gather parameters | | 2 |
reduce-scatter gradients | all-gather parameters | | 3 | all-gather parameters forward, and again |
| | | backward, reduce-scatter gradients | |
"""

_right_traffic = zero_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    sent = _right_traffic(
        parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches
    )
    if stage == 3:
        sent["parameters"] //= micro_batches
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent
