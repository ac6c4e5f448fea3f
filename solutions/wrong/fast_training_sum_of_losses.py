"""fast_training: the sum of losses, not their mean

Breaks: The loss is the mean cross-entropy between the logits of all positions but the last and the
tokens that follow them.
"""


def training_step(model, optimizer, tokens):
    optimizer.zero_grad()
    logits, targets = model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()
    torch.nn.functional.cross_entropy(logits, targets, reduction="sum").backward()
    optimizer.step()
