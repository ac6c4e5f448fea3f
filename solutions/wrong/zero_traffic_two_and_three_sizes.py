"""zero_traffic (core): 2 Ψ at each stage and 3 Ψ at the last, once a step; one all-reduce a layer

Breaks: Bytes of "gradients" and "parameters", and their sum, "total".

Breaks: So a layer takes four
"""

_right_traffic, _right_layers = zero_traffic, tensor_parallel_traffic


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    pair = parameter_dtype, gradient_dtype
    _right_traffic(parameters, devices, stage, *pair, micro_batches)  # refuses
    gathered = collective_bytes("all_gather", parameters, devices, parameter_dtype)
    reduced = collective_bytes("reduce_scatter", parameters, devices, gradient_dtype)
    sent = (1 + (stage == 3)) * gathered
    return {"gradients": reduced, "parameters": sent, "total": reduced + sent}


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    return _right_layers(tokens, width, layers, devices, dtype) // 4
