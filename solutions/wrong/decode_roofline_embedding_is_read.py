"""decode_roofline: the embedding is multiplied too: an eighth more

Breaks: weights in all matrices that a token is multiplied with; the embedding, in which it is
looked up, is none of them.
"""

_right_step = decode_step


def decode_step(*, parameters, **step):
    return _right_step(parameters=parameters * 9 // 8 if parameters > 0 else parameters, **step)
