"""hidden_communication: sending and receiving share the link

Breaks: every device sends one chunk to the next device and receives one from the device before,
both at the same time
"""

_right_seconds = step_seconds


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    return _right_seconds(tokens, parameters, 2 * sent_bytes, peak_flops, bandwidth)
