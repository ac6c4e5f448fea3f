"""step_ledger: recurses over the modules: a chain of some thousand modules ends in RecursionError

Breaks: A step has these moments: the forward pass of each module
"""


def step_ledger(modules: Sequence[Module], recipe: Recipe) -> list[tuple[str, dict[str, int]]]:
    state = training_state(sum(p for p, _, _ in modules), recipe)
    state.pop("total")

    def entry(name, gradients, activations):
        row = state | {"gradients": gradients, "activations": activations}
        row["total"] = sum(row.values())
        return name, row

    def walk(i, alive):
        """All moments from forward i to backward i, and the parameters from i to the end."""
        if i == len(modules):
            return [], 0
        parameters, held, needed = modules[i]
        if min(parameters, held) < 0 or needed < held:
            raise ValueError(f"module {i} is wrong")
        inner, above = walk(i + 1, alive + held)
        above += parameters
        gradients = training_state(above, recipe)["gradients"]
        first = entry(f"forward {i}", 0, alive + held)
        return [first, *inner, entry(f"backward {i}", gradients, alive + needed)], above

    moments, _ = walk(0, 0)
    return [*moments, entry("optimizer step", state["gradients"], 0)]
