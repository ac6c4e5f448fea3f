"""What the chapter `ledger` must say, computed by the reference and by torch."""

import torch
from torch.nn.functional import gelu

from solutions.resource_accounting import budget, ledger
from tests.text import measured_gpt2
from tests.text.numbers_in_problems import BF16, FP32, H100, MOMENTS

SEQUENCE, POSITIONS = {"seq_len": 1024}, {"vocab": 50257, "context": 1024, "layers": 48}
XL_BLOCK = {"d_model": 1600, "heads": 25, "d_ff": 6400, "dtype": BF16}
DROPPED = {"dropout": True, "attention": "math"}
FLASH = {"dropout": False, "attention": "flash"}
MASTER = {**MOMENTS, "master": [FP32]}


def of_ledger():
    yield from _deep_network()
    s, h, a, layers = 1024, 1600, 25, 48
    per_layer = (34 + 5 * a * s / h, 32 + 2 * a * s / h, 32 + 4 * a / h)
    yield f"$sbh$ = {s * h:,} and $as/h$ = {a * s // h}"
    for of_layer, words in zip(
        per_layer, ("(34 + 5as/h)", "(32 + 2as/h)", "(32 + 4a/h)"), strict=True
    ):
        yield f"| $sbh\\,{words}$ | {of_layer * s * h * layers / 1e9:.2f} GB |"
    chain = budget.activation_bytes(s, h, layers, BF16)
    yield f"= {chain / 1e9:.3f} GB: {per_layer[0] * s * h * layers / chain:.0f} times less"
    wide = budget.activation_bytes(s, h, layers, FP32)
    double = 2 * per_layer[1] * s * h * layers / 1e9
    yield f"gives {wide / 1e9:.2f} GB, where a transformer without dropout keeps {double:.2f} GB"
    yield f"4 · 1024 · 50257 B = {4 * s * 50257:,} B, more than a block"
    yield from _blocks()
    yield from _torchs_blocks()
    model = {"batch": 1, **SEQUENCE, **XL_BLOCK}
    kept = ledger.model_activations(vocab=50257, layers=48, **model, **DROPPED)["total"]
    yield f"it keeps {kept:,} B. Not counted"
    measured = measured_gpt2.kept_by_model(1, 1024, _letters(48, 1600, 25))
    yield f"the hooks count {measured:,} B, on tensors"
    yield f"The {measured - kept} B more are"
    yield from _steps()
    yield from _tracked()
    yield from _adamw()
    yield from _batches()


def _deep_network():
    b, d, layers = 64, 512, 4
    sizes = {"width": d, "layers": layers, "outputs": 1, "batch": b, "dtype": FP32}
    account = ledger.deep_network_account(**sizes)
    forward, backward = account["forward_flops"], account["backward_flops"]
    yield f"- {account['parameters']:,} parameters, and {forward:,} FLOPs"
    yield f"- {backward:,} FLOPs in the backward pass: {backward / forward:.2f} times"
    yield f"- {account['saved_bytes']:,} B kept"
    for name, *functions in (
        ("nothing, `torch.relu(x)`, `torch.tanh(x)`", torch.relu, torch.tanh, lambda x: x),
        ("`x * (x > 0)`, which keeps a mask of 1 B per number", lambda x: x * (x > 0)),
        ("`x.clamp(min=0)`, GELU, which keep their input", lambda x: x.clamp(min=0), gelu),
    ):
        (size,) = {_kept_by_network(b, d, layers, function) for function in functions}
        yield f"| {name} | {size:,} B |"


def _kept_by_network(b, d, layers, function):
    """Bytes that autograd keeps of a deep network with this function after each layer."""
    x, weights = torch.zeros(b, d), list(ledger.DeepNetwork(d, layers, 1).parameters())

    def network():
        y = x
        for weight in weights[:-1]:
            y = function(y @ weight)
        return y @ weights[-1]

    return measured_gpt2.kept(network, x, *weights)


def _blocks():
    parts, flash = (
        ledger.block_activations(batch=1, **SEQUENCE, **XL_BLOCK, **way) for way in (DROPPED, FLASH)
    )
    for part, size in parts.items():
        yield f"| {size:,} | {flash[part]:,} |"
    assert parts["total"] < 4 * 1024 * 50257


def _torchs_blocks():
    b, s, h, a = 2, 128, 256, 4
    shape = {"batch": b, "seq_len": s, "d_model": h, "heads": a, "d_ff": 4 * h, "dtype": BF16}
    sbh, scores = s * b * h, a * s * s * b
    for name, drop, attention, sums in (
        ("with dropout", measured_gpt2.byte_masks, "math", f" {34 * sbh + 5 * scores:,} B"),
        ("without dropout", None, "math", f" {32 * sbh + 2 * scores:,} B"),
        ("FlashAttention, with dropout", measured_gpt2.byte_masks, "flash", ""),
        ("FlashAttention, no dropout", None, "flash", f" {32 * sbh + 4 * a * s * b:,} B"),
    ):
        options = {"dropout": drop is not None, "attention": attention}
        rule = ledger.block_activations(**shape, **options)["total"]
        flash = attention == "flash"
        found = measured_gpt2.kept_by_block(b, s, h, a, 4 * h, drop=drop, flash=flash)
        assert found == rule
        yield f"| {name} |{sums} | {rule:,} B | {found:,} B |"
    floats = measured_gpt2.kept_by_block(b, s, h, a, 4 * h, drop=measured_gpt2.cpu_masks)
    yield f"the first row becomes {floats:,} B"
    narrow = measured_gpt2.kept_by_block(b, s, h, a, 4 * h, drop=None, norms=BF16)
    wide = measured_gpt2.kept_by_block(b, s, h, a, 4 * h, drop=None)
    assert narrow == wide - 2 * 2 * 2 * b * s, "statistics are not in the dtype of the input"


def _steps():
    example = [(10, 100, 100), (3, 20, 50)]
    recipe = {**MOMENTS, "parameters": [FP32], "gradients": [FP32]}
    for moment, held in ledger.step_ledger(example, recipe):
        state = held["parameters"] + held["optimizer"]
        gradients, activations = held["gradients"], held["activations"]
        yield f"| {moment} | {state} | {gradients} | {activations} | {held['total']} |"
    yield f"The peak is {ledger.peak_memory(example, recipe)[1]} B"
    yield f"{state} + {gradients} + 120 = {state + gradients + 120} B"
    held = dict(ledger.step_ledger(_modules(1, DROPPED), MASTER))
    for name, moment in (
        ("backward 49, the loss", "backward 49"),
        ("backward 1, the first block", "backward 1"),
    ):
        state, gradients, activations, total = _in_gb(held[moment])
        yield f"| {name} | {state} | {gradients} | {activations} | {total} |"
    yield f"| before the step | {state} | | | {state} |"
    state, gradients, _, total = _in_gb(held["optimizer step"])
    yield f"| optimizer step | {state} | {gradients} | | {total} |"
    parameters, _, needed = _modules(1, FLASH)[1]
    yield f"A block of GPT-2 XL has {parameters:,} parameters"
    yield f"adds {2 * parameters:,} B of gradients"
    yield f"it frees {needed:,} B per sequence"
    peaks = [ledger.peak_memory(_modules(batch, FLASH), MASTER)[0] for batch in (1, 2)]
    assert peaks == ["backward 1", "backward 49"]


def _in_gb(held):
    state = held["parameters"] + held["master"] + held["optimizer"]
    sizes = (state, held["gradients"], held["activations"], held["total"])
    return [f"{size / 1e9:.2f} GB" for size in sizes]


def _tracked():
    small = {"seq_len": 1024, "d_model": 768, "heads": 12, "d_ff": 3072, "dtype": BF16}
    recipe = {"parameters": [BF16], "gradients": [BF16], "master": [], "optimizer": [BF16, BF16]}
    rules, peaks, tracked = [], [], []
    for checkpointed in (False, True):
        options = {**DROPPED, "checkpointed": checkpointed}
        modules = ledger.model_modules(
            batch=1, vocab=50257, context=1024, layers=12, **small, **options
        )
        rules.append(sum(held for _, held, _ in modules))
        peaks.append(ledger.peak_memory(modules, recipe)[1])
        letters = _letters(12, 768, 12)
        step = measured_gpt2.tracked_step(1, 1024, letters, checkpointed=checkpointed)
        tracked.append(step)
        assert step["temporary"] == 2 * 4 * 1024 * 50257
        state = 6 * sum(parameters for parameters, _, _ in modules)
        assert step["peak"] == state + step["activations"] + step["temporary"]
    yield f"{state // 6:,} parameters), one sequence"
    yield f"pass, by the rule | {rules[0]:,} B | {rules[1]:,} B |"
    yield "by MemTracker | " + " | ".join(f"{step['activations']:,} B" for step in tracked)
    yield "peak by the rule | " + " | ".join(f"{peak / 1e9:.3f} GB" for peak in peaks)
    yield "peak by MemTracker | " + " | ".join(f"{step['peak'] / 1e9:.3f} GB" for step in tracked)
    yield f"the one that is kept, {tracked[0]['temporary']:,} B"
    yield f"The lm_head's gradient, {2 * 50257 * 768:,} B, which the rule counts"


def _adamw():
    parameters = sum(parameters for parameters, _, _ in _modules(1, DROPPED))
    cost = ledger.adamw_cost(parameters, MASTER)
    one, fp32 = ledger.adamw_cost(1, MASTER), H100.peak_flops["fp32"]
    yield f"That is {one['flops']} FLOPs per parameter"
    yield f"2 + 2 · 8 + 2 · 4 + 2 = {one['bytes']} B as well"
    yield f"2 + 2 · 8 + 2 · 2 = {ledger.adamw_cost(1, MOMENTS)['bytes']} B."
    yield f"{one['flops']} / {one['bytes']} = {one['flops'] / one['bytes']:g} FLOP/B"
    yield f"an H100 does {fp32 / H100.bandwidth:g} in fp32"
    moving, computing = cost["bytes"] / H100.bandwidth, cost["flops"] / fp32
    yield f"it moves {cost['bytes']:,} B, which takes an H100 {1e3 * moving:.2f} ms"
    yield f"the arithmetic would take {1e3 * computing:.2f} ms"
    assert 10 * computing < moving
    yield f"moves 28 B it could do {28 * fp32 / H100.bandwidth:g} FLOPs in fp32"


def _batches():
    device = 80 * 10**9
    for name, way, checkpointed in (
        ("with dropout", DROPPED, False),
        ("without dropout", {**DROPPED, "dropout": False}, False),
        ("without dropout, FlashAttention", FLASH, False),
        ("with dropout, each block checkpointed", DROPPED, True),
    ):
        per_sequence = sum(held for _, held, _ in _modules(1, way, checkpointed))
        options = {**POSITIONS, **SEQUENCE, **XL_BLOCK, **way, "checkpointed": checkpointed}
        batch = ledger.largest_batch(device, MASTER, **options)
        fewer = max(n for n in range(batch + 1) if _peak_with_loss(n, way, checkpointed) <= device)
        yield f"| {name} | {per_sequence / 1e9:.3f} GB | {batch} | {fewer} |"
    modules = _modules(6, DROPPED)
    held = dict(ledger.step_ledger(modules, MASTER))["backward 49"]
    state = held["parameters"] + held["master"] + held["optimizer"]
    yield f"the state takes {state:,} B"
    yield f"gradients of the last module {held['gradients']:,} B"
    yield f"6 · {held['activations'] // 6:,} B come on top: {held['total']:,} B fit"
    _, seven = ledger.peak_memory(_modules(7, DROPPED), MASTER)
    yield f"With seven it would be {seven / 1e9:.1f} GB"


def _peak_with_loss(batch, way, checkpointed):
    *others, (parameters, held, needed) = _modules(batch, way, checkpointed)
    last = (parameters, held, needed + 2 * 4 * batch * 1024 * 50257)
    return ledger.peak_memory([*others, last], MASTER)[1]


def _modules(batch, way, checkpointed=False):
    options = {**POSITIONS, **SEQUENCE, **XL_BLOCK, **way, "checkpointed": checkpointed}
    return ledger.model_modules(batch=batch, **options)


def _letters(layers, width, heads):
    return {"V": 50257, "C": 1024, "L": layers, "D": width, "H": heads, "F": 4 * width}
