"""step_ledger (core): all activations and gradients are there at every moment

Breaks: Activations live until the end of their module's backward pass, and gradients are there at
that moment already.
"""

_right_ledger, _right_cost = step_ledger, adamw_cost


def step_ledger(modules, recipe):
    moments = [moment for moment, _ in _right_ledger(modules, recipe)]  # refuses, too
    state = training_state(sum(module[0] for module in modules), recipe)
    del state["total"]
    state["activations"] = max((module[2] for module in modules), default=0)
    state["activations"] += sum(module[1] for module in modules[:-1])
    return [(moment, {**state, "total": sum(state.values())}) for moment in moments]


def peak_memory(modules, recipe):
    ledger = step_ledger(modules, recipe)
    moment = f"backward {len(modules) - 1}" if modules else "optimizer step"
    return moment, ledger[-1][1]["total"]


def adamw_cost(parameters, recipe):
    _right_cost(parameters, recipe)  # refuses
    return {"flops": 14 * parameters, "bytes": 28 * parameters}
