"""predict_step: runs the step on the meta device, and so cannot predict what nobody can build

Breaks: Nothing is built and nothing runs: sizes may be far beyond what can be built, and 10^12 layers take no longer than one.

Breaks: sizes may be far beyond what can be built, and 10^12 layers take no longer than one.
"""

_right_predict = predict_step


def predict_step(*, peak_flops, bandwidth, **sizes):
    from assignment.material.small_transformer import Sizes
    from assignment.material.step_counts import count_step

    _right_predict(**sizes, peak_flops=peak_flops, bandwidth=bandwidth)
    counts = count_step(Sizes(**sizes))
    return {
        "parameters": counts.parameters,
        "flops": counts.flops,
        "peak_bytes": counts.peak_bytes,
        "seconds": counts.flops / peak_flops,
    }
