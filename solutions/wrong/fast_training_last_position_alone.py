"""fast_training: only the last position's loss counts

Breaks: The loss is the mean cross-entropy between the logits of all positions but the last and the
tokens that follow them.
"""


def training_step(model, optimizer, tokens):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(tokens[:, :-1])[:, -1], tokens[:, -1]).backward()
    optimizer.step()
