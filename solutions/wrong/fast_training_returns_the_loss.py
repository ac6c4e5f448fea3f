"""fast_training: returns the loss

Breaks: Nothing is returned or printed, because reading the loss waits for the device.
"""

_right_training_step = training_step


def training_step(model, optimizer, tokens):
    _right_training_step(model, optimizer, tokens)
    with torch.no_grad():
        logits = model(tokens[:, :-1])
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).item()
