"""zero_traffic: stage 1 all-reduces the gradients, though a device updates only its shard

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
    if stage == 1:
        sent["gradients"] *= 2
    sent["total"] = sent["gradients"] + sent["parameters"]
    return sent
