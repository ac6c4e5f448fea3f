"""fast_training: autocasts to bfloat16 on a CPU as well

Breaks: On a CUDA device the forward pass may run in bfloat16, with autocast
"""


def training_step(model, optimizer, tokens):
    optimizer.zero_grad()
    with torch.autocast(tokens.device.type, dtype=torch.bfloat16):
        logits = model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    optimizer.step()
