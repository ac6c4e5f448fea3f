"""operation_intensity: FLOPs for each element moved, whatever it takes in bytes

Breaks: FLOP/B

Costs: all five functions count bytes.
"""

_right_relu, _right_gelu, _right_dot = relu_intensity, gelu_intensity, dot_intensity
_right_matvec, _right_matmul = matvec_intensity, matmul_intensity


def relu_intensity(n, bytes_per_element):
    return _right_relu(n, 1)


def gelu_intensity(n, bytes_per_element, *flops):
    return _right_gelu(n, 1, *flops)


def dot_intensity(n, bytes_per_element):
    return _right_dot(n, 1)


def matvec_intensity(m, n, bytes_per_element):
    return _right_matvec(m, n, 1)


def matmul_intensity(m, k, n, bytes_per_element):
    return _right_matmul(m, k, n, 1)
