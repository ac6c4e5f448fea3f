"""fast_training: each position predicts its own token, not the next

Breaks: One step of training a language model to predict each next token
"""


def training_step(model, optimizer, tokens):
    optimizer.zero_grad()
    logits = model(tokens[:, :-1])
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, :-1].flatten()).backward()
    optimizer.step()
