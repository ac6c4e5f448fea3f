"""step_ledger: a module without parameters gets no backward moment

Breaks: the backward pass of each module from the last to the first
"""


def step_ledger(modules: Sequence[Module], recipe: Recipe) -> list[tuple[str, dict[str, int]]]:
    for parameters, held, needed in modules:
        if parameters < 0 or held < 0 or needed < held:
            raise ValueError("a module has a negative number, or needs less than it holds")
    state = training_state(sum(module[0] for module in modules), recipe)
    ledger = []

    def moment(name, gradients, activations):
        now = {
            "parameters": state["parameters"],
            "gradients": gradients,
            "master": state["master"],
            "optimizer": state["optimizer"],
            "activations": activations,
        }
        now["total"] = sum(now.values())
        ledger.append((name, now))

    alive = 0
    for i, (_, held, _) in enumerate(modules):
        alive += held
        moment(f"forward {i}", 0, alive)
    done = 0
    for i in reversed(range(len(modules))):
        parameters, held, needed = modules[i]
        done += parameters
        alive -= held
        if parameters == 0:
            continue  # nothing to train here
        moment(f"backward {i}", training_state(done, recipe)["gradients"], alive + needed)
    moment("optimizer step", state["gradients"], 0)
    return ledger
