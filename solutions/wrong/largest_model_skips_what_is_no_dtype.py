"""largest_model: copies that are no dtypes are left out

Breaks: a copy is not a `torch.dtype`
"""

_right_model = largest_model


def largest_model(devices, device_bytes, recipe):
    known = {
        part: [dtype for dtype in copies if isinstance(dtype, torch.dtype)]
        for part, copies in recipe.items()
    }
    return _right_model(devices, device_bytes, known)
