"""zero_traffic: at stage 3 the updated parameters are gathered once more

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
        sent["parameters"] += sent["parameters"] // (2 * micro_batches)
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent
