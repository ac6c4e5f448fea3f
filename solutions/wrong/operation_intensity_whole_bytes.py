"""operation_intensity: bytes of an element are rounded up to whole ones

Breaks: 2 in bfloat16, 0.5 in a 4-bit format
"""

_right_relu, _right_gelu, _right_dot = relu_intensity, gelu_intensity, dot_intensity
_right_matvec, _right_matmul = matvec_intensity, matmul_intensity


def relu_intensity(n, bytes_per_element):
    return _right_relu(n, math.ceil(bytes_per_element))


def gelu_intensity(n, bytes_per_element, *flops):
    return _right_gelu(n, math.ceil(bytes_per_element), *flops)


def dot_intensity(n, bytes_per_element):
    return _right_dot(n, math.ceil(bytes_per_element))


def matvec_intensity(m, n, bytes_per_element):
    return _right_matvec(m, n, math.ceil(bytes_per_element))


def matmul_intensity(m, k, n, bytes_per_element):
    return _right_matmul(m, k, n, math.ceil(bytes_per_element))
