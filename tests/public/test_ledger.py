"""The ledger of GPT-2 XL's training step, with the numbers of the text."""

import pytest
import torch

from assignment.expect import expect
from assignment.material.recipes import drawn_recipe
from assignment.material.small_transformer import Sizes, Transformer

FP32, BF16 = torch.float32, torch.bfloat16
IN_FP32 = {"parameters": [FP32], "gradients": [FP32], "master": [], "optimizer": [FP32, FP32]}
MASTER = {"parameters": [BF16], "gradients": [BF16], "master": [FP32], "optimizer": [FP32, FP32]}
SHAPE = {"seq_len": 1024, "d_model": 1600, "heads": 25, "d_ff": 6400, "dtype": BF16}
WITH_DROPOUT = {"dropout": True, "attention": "math"}
FLASH = {"dropout": False, "attention": "flash"}
XL = {"vocab": 50257, "context": 1024, "layers": 48, **SHAPE}
SMALL = {"batch": 1, "seq_len": 3, "d_model": 4, "heads": 2, "d_ff": 5, "dtype": FP32}
TINY = {"vocab": 7, "context": 3, "layers": 2, **SMALL, **WITH_DROPOUT, "checkpointed": False}


def drawn_options(rng):
    """Sizes and options of a block, without a batch."""
    heads = int(rng.integers(1, 9))
    sizes = {"seq_len": int(rng.integers(1, 99)), "heads": heads, "d_ff": int(rng.integers(1, 99))}
    way = {"dropout": bool(rng.integers(2)), "attention": str(rng.choice(["math", "flash"]))}
    return {**sizes, "d_model": 4 * heads, "dtype": BF16, **way}


@pytest.mark.exercise("deep_network")
def test_a_pass_by_hand(impl):
    """Rows (1, 2) and (3, -1) through one layer of width 2 and a head: output and gradients, where
    the ReLU sets one of four sums to 0"""
    weights = [torch.tensor([[1.0, -1.0], [2.0, 1.0]]), torch.tensor([[3.0], [-4.0]])]
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
    found = impl.scenarios.deep_network_pass(2, 1, 1, x, torch.ones(2, 1), weights)
    expect(found["output"], "the output").equals(
        torch.tensor([[11.0], [3.0]]),
        hint="x @ weight is [[5, 1], [1, -4]], so the layer's output is [[5, 1], [1, 0]]",
    )
    expect(found["grads"], "the gradients of both weights").equals(
        [torch.tensor([[12.0, -4.0], [3.0, -8.0]]), torch.tensor([[6.0], [1.0]])],
        hint="the head's is the sum of the layer's outputs",
    )


@pytest.mark.exercise("deep_network")
def test_drawn_networks(impl, rng):
    """Networks of any size and of none but a head compute what the formulas say, in the dtype to
    which they are converted, and autograd keeps one tensor for each layer"""
    for i in range(12):
        width, outputs, batch = (int(n) for n in rng.integers(2, 7, size=3))
        dtype, layers = [torch.float64, FP32, BF16][i % 3], i % 4 if i % 3 < 2 else i % 2
        shapes = [(width, width)] * layers + [(width, outputs)]
        largest = 1000 if dtype is torch.float64 else 1  # all sums are exact in the dtype
        draw = lambda *shape: torch.from_numpy(  # noqa: E731
            rng.integers(-largest, largest, shape, endpoint=True)  # noqa: B023
        ).to(dtype)  # noqa: B023
        weights = [draw(*shape).requires_grad_() for shape in shapes]
        x, grad = draw(batch, width), draw(batch, outputs)
        y = x
        for weight in weights[:-1]:
            y = torch.relu(y @ weight)
        y = y @ weights[-1]
        given = [weight.detach() for weight in weights]
        found = impl.scenarios.deep_network_pass(width, layers, outputs, x, grad, given)
        of = f"of {layers} layers of width {width} in {dtype}"
        expect(found["output"], f"the output {of}").equals(
            y.detach(), hint="no ReLU after the head"
        )
        expect(found["grads"], f"the gradients {of}").equals(
            list(torch.autograd.grad(y, weights, grad))
        )
        expect(found["kept_bytes"], f"bytes that autograd keeps {of}").equals(
            layers * batch * width * x.itemsize, hint="torch.relu keeps its output"
        )


@pytest.mark.exercise("deep_network")
def test_what_is_drawn(impl, rng):
    """Weights are float32, width × width and width × outputs, each drawn anew, normal, and with a
    deviation of 1/√width"""
    width, outputs = int(rng.integers(60, 90)), int(rng.integers(200, 300))
    x, grad = torch.zeros(1, width), torch.zeros(1, outputs)
    drawn = impl.scenarios.deep_network_pass(width, 2, outputs, x, grad)["drawn"]
    shapes = [(width, width), (width, width), (width, outputs)]
    expect([tuple(weight.shape) for weight in drawn], "the shapes of parameters()").equals(
        shapes, hint="a plain list does not register its tensors: see torch.nn.ParameterList"
    )
    for weight, shape in zip(drawn, shapes, strict=True):
        z = expect(weight, "a weight").is_tensor(shape, FP32) * width**0.5
        expect(z.std().item(), f"√width · the deviation of a weight of {shape}").close(
            1.0, rtol=7 / (2 * z.numel()) ** 0.5, hint="divide what randn draws by √width"
        )
        beyond = (z.abs() > 2).double().mean().item()
        expect(beyond, "the share of elements beyond two deviations").close(
            0.0455, rtol=0, atol=7 * (0.0455 / z.numel()) ** 0.5, hint="torch.randn is normal"
        )
    elements = torch.cat([weight.flatten() for weight in drawn])
    assert len(elements.unique()) > 0.97 * len(elements), "elements are repeated: draw each anew"


@pytest.mark.exercise("deep_network")
def test_the_accounts_of_small_networks(impl):
    """Two layers of width 64 and a head take 132,096 FLOPs for 8 rows, then 198,656, and keep
    4096 B; a head alone takes as many FLOPs backward as forward, and keeps nothing"""
    account = impl.ledger.deep_network_account
    expect(account(width=64, layers=2, outputs=1, batch=8, dtype=FP32)).equals(
        {"parameters": 8256, "forward_flops": 132_096, "backward_flops": 198_656}
        | {"saved_bytes": 4096},
        hint="backward: two products of 65,536 FLOPs for the second layer, one for the first",
    )
    expect(account(width=64, layers=0, outputs=3, batch=8, dtype=BF16), "without layers").equals(
        {"parameters": 192, "forward_flops": 3072, "backward_flops": 3072, "saved_bytes": 0},
        hint="then the head is first: x needs no gradient, and does not count",
    )


@pytest.mark.exercise("deep_network")
def test_what_one_layer_more_takes(impl, rng):
    """A further layer adds a square weight, one product forward, two backward and one tensor, in
    any dtype, exactly"""
    for i in range(8):
        width, outputs, batch = (int(n) | 1 for n in rng.integers(2, [99, 2**60][i % 2], size=3))
        dtype, layers = [torch.float64, FP32, BF16, torch.float16][i % 4], int(rng.integers(1, 9))
        sizes = {"width": width, "outputs": outputs, "batch": batch, "dtype": dtype}
        product = 2 * batch * width**2
        kept = batch * width * dtype.itemsize
        one = {"parameters": width**2, "forward_flops": product}
        one |= {"backward_flops": 2 * product, "saved_bytes": kept}
        head = 2 * batch * width * outputs
        first = {"parameters": width**2 + width * outputs, "forward_flops": product + head}
        first |= {"backward_flops": product + 2 * head, "saved_bytes": kept}
        expect(
            impl.ledger.deep_network_account(layers=layers, **sizes), f"{layers} layers, {sizes}"
        ).equals({name: first[name] + (layers - 1) * more for name, more in one.items()})


@pytest.mark.exercise("activation_ledger")
def test_a_block_of_gpt2_xl(impl):
    """A block of GPT-2 XL keeps 186,793,984 B of one sequence, with dropout"""
    parts = {"norms": 6_569_984, "qkv": 3_276_800, "scores": 6_553_600, "softmax": 52_428_800}
    parts |= {"values": 55_705_600, "output": 3_276_800, "up": 3_276_800, "gelu": 13_107_200}
    parts |= {"down": 13_107_200, "dropout": 29_491_200, "total": 186_793_984}
    expect(impl.ledger.block_activations(batch=1, **SHAPE, **WITH_DROPOUT)).equals(
        parts,
        hint="s · h elements take 3,276,800 B in bf16, a · s · s take 52,428,800 B; a mask half",
    )


@pytest.mark.exercise("activation_ledger")
def test_each_call_makes_a_new_dict(impl):
    """A caller may change its dict: the next call returns what it did before"""
    for call, sizes in (
        (impl.ledger.block_activations, {}),
        (impl.ledger.model_activations, {"vocab": 7, "layers": 2}),
    ):
        first = call(**sizes, **SMALL, **WITH_DROPOUT)
        expect(len(first) > 1, "does the dict have entries").equals(True)
        before = dict(first)
        first.clear()
        again = call(**sizes, **SMALL, **WITH_DROPOUT)
        expect(again, "the result of the second call").equals(before, hint="cache no dict")


@pytest.mark.exercise("activation_ledger")
def test_a_block_with_flash_attention(impl):
    """With flash attention it keeps 52,547,584 B, and with dropout too 55,824,384 B"""
    flash = impl.ledger.block_activations(batch=1, **SHAPE, **FLASH)
    expect(flash["softmax"], "flash attention's softmax").equals(
        102_400, hint="one fp32 number per row of scores: 4 · 25 · 1024"
    )
    expect(flash["total"], "the total").equals(52_547_584)
    dropped = impl.ledger.block_activations(batch=1, **SHAPE, **{**FLASH, "dropout": True})
    expect(dropped["dropout"], "the masks").equals(
        3_276_800, hint="flash attention keeps no mask; those of both halves' outputs are left"
    )
    expect(dropped["total"], "the total with dropout").equals(55_824_384)


@pytest.mark.exercise("activation_ledger")
def test_a_block_small_enough_for_paper(impl):
    """Three tokens of width 4 in fp32, two heads and a hidden layer of 5 keep 624 B"""
    parts = {"norms": 144, "qkv": 48, "scores": 96, "softmax": 72, "values": 48, "output": 48}
    parts |= {"up": 48, "gelu": 60, "down": 60, "dropout": 0, "total": 624}
    expect(impl.ledger.block_activations(**SMALL, dropout=False, attention="math")).equals(
        parts,
        hint="such as norms: each of two keeps 3 · 4 inputs, 3 means, 3 deviations, 4 bytes each",
    )
    width = 2**60 + 1  # of a head; the next float is 256 more
    wide = {**SMALL, "d_model": 2 * width, "dropout": False, "attention": "math"}
    expect(impl.ledger.block_activations(**wide)["scores"], "queries and keys").equals(48 * width)


@pytest.mark.exercise("activation_ledger")
def test_all_of_gpt2_xl(impl):
    """Each part that GPT-2 XL keeps of one sequence, to the byte: 9.18 GB in all"""
    model = impl.ledger.model_activations(vocab=50257, layers=48, batch=1, **SHAPE, **WITH_DROPOUT)
    parts = {"embedding": 1_638_400, "blocks": 8_966_111_232, "final_norm": 3_284_992}
    parts |= {"lm_head": 3_276_800, "loss": 205_852_672, "total": 9_180_164_096}
    expect(model).equals(parts)


@pytest.mark.exercise("step_ledger")
def test_a_step_of_two_modules(impl):
    """Each moment, in order, has the state, the gradients so far, the activations not yet freed and
    what a backward pass needs besides"""
    ledger = impl.ledger.step_ledger([(10, 100, 100), (3, 20, 50)], IN_FP32)
    held = [(0, 100), (0, 120), (12, 150), (52, 100), (52, 0)]
    moments = ["forward 0", "forward 1", "backward 1", "backward 0", "optimizer step"]
    expect([moment for moment, _ in ledger], "the moments").equals(moments)
    for (moment, kept), (gradients, _) in zip(ledger, held, strict=True):
        expect(kept["gradients"], f"gradients at {moment}").equals(
            gradients, hint="a module's gradients exist from its own backward pass on"
        )
    expected = []
    for moment, (gradients, activations) in zip(moments, held, strict=True):
        parts = {"parameters": 52, "gradients": gradients, "master": 0, "optimizer": 104}
        parts |= {"activations": activations, "total": 156 + gradients + activations}
        expected.append((moment, parts))
    expect(ledger, "the ledger").equals(
        expected,
        hint="a total is the sum of five parts; at backward 1, module 1 needs 50 bytes, and module "
        "0 holds 100",
    )


@pytest.mark.exercise("step_ledger")
def test_the_peak_of_two_modules(impl):
    """The peak is where activations and gradients together are largest"""
    peak = impl.ledger.peak_memory
    expect(peak([(10, 100, 100), (3, 20, 50)], IN_FP32)).equals(("backward 1", 318))
    expect(peak([(10, 100, 100), (3, 0, 0)], IN_FP32)).equals(
        ("backward 0", 308), hint="the gradients of both modules are there: 52 bytes"
    )
    expect(peak([(0, 7, 7), (0, 0, 0)], IN_FP32)).equals(
        ("forward 0", 7), hint="the first of several moments"
    )
    expect(peak([(0, 0, 0), (0, 0, 0)], IN_FP32)).equals(("forward 0", 0))
    large = 2**60  # the next float is 256 more
    expect(peak([(0, large, large), (0, 0, 1)], IN_FP32)).equals(("backward 1", large + 1))
    expect(peak([(0, 1, 2)] * 1500, IN_FP32), "1500 modules").equals(("backward 1499", 1501))


@pytest.mark.exercise("step_ledger")
def test_a_step_of_adamw(impl):
    """AdamW takes 14 FLOPs a parameter and moves 28 bytes in fp32, also with a master copy"""
    for recipe in (IN_FP32, MASTER):
        expect(impl.ledger.adamw_cost(10**6, recipe), f"in {recipe}").equals(
            {"flops": 14_000_000, "bytes": 28_000_000},
            hint="1, 3, 4 and 6 FLOPs; moments and what they update are read and written",
        )
    without = {**MASTER, "master": []}
    expect(impl.ledger.adamw_cost(1, without), "in bf16 without a master copy").equals(
        {"flops": 14, "bytes": 22}, hint="then the parameters are read too"
    )
    for change, moved in [({"gradients": []}, 24), ({"master": [FP32]}, 32)]:
        found = impl.ledger.adamw_cost(1, {**IN_FP32, **change})["bytes"]
        expect(found, f"bytes in fp32 with {change}").equals(moved)


@pytest.mark.exercise("largest_batch")
def test_the_modules_of_gpt2_xl(impl):
    """GPT-2 XL is an embedding, 48 blocks and a last module: parameters, bytes held and needed"""
    modules = impl.ledger.model_modules(batch=1, **XL, **WITH_DROPOUT, checkpointed=False)
    expect([modules[0], modules[1], modules[-1]], "the first two modules and the last").equals(
        [
            (1_638_400, 1_638_400, 1_638_400),
            (30_740_800, 186_793_984, 186_793_984),
            (80_414_400, 212_414_464, 212_414_464),
        ],
        hint="parameters: the shared matrix, 50257 · 1600, counts in the last module alone",
    )
    expect(len(modules)).equals(50)
    expect(sum(parameters for parameters, _, _ in modules)).equals(1_557_611_200)


@pytest.mark.exercise("largest_batch")
def test_the_modules_with_checkpointing(impl):
    """A checkpointed block holds its input, and needs what it keeps"""
    modules = impl.ledger.model_modules(batch=1, **XL, **WITH_DROPOUT, checkpointed=True)
    expect(modules[48]).equals((30_740_800, 3_276_800, 186_793_984))
    expect(modules[49]).equals((80_414_400, 212_414_464, 212_414_464))


@pytest.mark.exercise("largest_batch")
def test_gpt2_xl_in_80_gb(impl):
    """In 80 GB GPT-2 XL trains with 6 sequences, 21 with flash attention, 156 checkpointed"""
    cases = [(WITH_DROPOUT, False, 6), (FLASH, False, 21), (WITH_DROPOUT, True, 156)]
    for options, checkpointed, batch in cases:
        how = {**options, "checkpointed": checkpointed}
        found = impl.ledger.largest_batch(80 * 10**9, MASTER, **XL, **how)
        expect(found, f"with {how}").equals(batch)


@pytest.mark.exercise("largest_batch")
def test_a_device_to_the_last_byte(impl):
    """A device of 24,921,779,200 B holds the model with all gradients: one byte less is refused"""
    least = 16 * 1_557_611_200
    options = {**XL, **FLASH, "checkpointed": False}
    expect(impl.ledger.largest_batch(least, MASTER, **options)).equals(
        0, hint="the model fits, but no sequence"
    )
    with pytest.raises(ValueError):
        impl.ledger.largest_batch(least - 1, MASTER, **options)
    expect(impl.ledger.largest_batch(least + 52_547_584, MASTER, **options), "with room").equals(1)


@pytest.mark.exercise("activation_ledger")
def test_a_ledger_grows_with_the_batch(impl, rng):
    """Components of a block and of a model take the same bytes for each sequence, and 0 for none"""
    for i in range(8):
        options = {**drawn_options(rng), "dtype": (BF16, torch.complex64)[i % 2]}
        for function, more in [
            (impl.ledger.block_activations, {}),
            (impl.ledger.model_activations, {"vocab": 7, "layers": 3}),
        ]:
            one = function(batch=1, **more, **options)
            expect(one.get("total", 0) > 0, "whether one sequence takes memory").equals(True)
            batch = i - 1 if i % 4 else 2**63 // one["total"] + 1
            expect(function(batch=batch, **more, **options), f"{batch} sequences").equals(
                {part: batch * size for part, size in one.items()},
                hint="every tensor that is counted has the batch as a dimension",
            )


@pytest.mark.exercise("activation_ledger")
def test_a_model_grows_with_layers_and_vocabulary(impl, rng):
    """One layer more adds a block, one token more in the vocabulary 4 bytes a token, exactly"""
    for i in range(8):
        options = {**drawn_options(rng), "batch": int(rng.integers(2**60, 2**62)) | 1}
        sizes = {"vocab": 10 * i + (0, 2**60)[i % 2], "layers": i}
        model = impl.ledger.model_activations(**sizes, **options)
        block = impl.ledger.block_activations(**options)["total"]
        expect(block > 0, "whether a block takes memory").equals(True)
        for name, part, each in [
            ("layers", "blocks", block),
            ("vocab", "loss", 4 * options["batch"] * options["seq_len"]),
        ]:
            more = {**sizes, name: sizes[name] + 1}
            expect(impl.ledger.model_activations(**more, **options), f"with {more}").equals(
                {**model, part: model[part] + each, "total": model["total"] + each}
            )


@pytest.mark.exercise("step_ledger")
def test_a_step_of_random_modules(impl, rng):
    """Activations live until their backward pass, and gradients from there to the end"""
    for _ in range(5):
        count = int(rng.integers(1, 6))
        held = [int(n) for n in rng.integers(1000, size=count)]
        modules = [(int(rng.integers(1000)), n, n + int(rng.integers(100))) for n in held]
        modules[0] = (0, *modules[0][1:])  # a module may have no parameters
        ledger = impl.ledger.step_ledger(modules, IN_FP32)
        expect(len(ledger), "how many moments there are").equals(2 * count + 1)
        for i, (moment, found) in enumerate(ledger[:count]):
            expect(found["activations"], moment).equals(
                sum(held[: i + 1]), hint="modules whose forward pass is over hold what they hold"
            )
        for i, (moment, found) in zip(reversed(range(count)), ledger[count:], strict=False):
            expect(found["activations"], moment).equals(
                sum(held[:i]) + modules[i][2], hint="the module needs more than it holds"
            )
            expect(found["gradients"], f"gradients at {moment}").equals(
                4 * sum(parameters for parameters, _, _ in modules[i:])
            )


@pytest.mark.exercise("step_ledger")
def test_the_state_of_random_recipes(impl, rng):
    """The recipe's parameters, master copy and moments are there at each moment, its gradients at
    the end, and all at the peak, in exact ints, also without modules"""
    for count in (0, 1, 4, 4):
        recipe, held = drawn_recipe(rng)
        modules = [(int(rng.integers(2**60, 2**62)) | 1, 5, 9) for _ in range(count)]
        parameters = sum(number for number, _, _ in modules)
        ledger = impl.ledger.step_ledger(modules, recipe)
        expect(len(ledger), "how many moments there are").equals(2 * count + 1)
        for moment, found in ledger:
            for part in ("parameters", "master", "optimizer"):
                expect(found.get(part), f"{part} at {moment} in {recipe}").equals(
                    parameters * held[part]
                )
        gradients = parameters * held["gradients"]
        expect(ledger[-1][1].get("gradients"), "gradients in the end").equals(gradients)
        last = ("optimizer step", parameters * sum(held.values()))
        peak = ("backward 0", last[1] + 9) if count else last
        expect(impl.ledger.peak_memory(modules, recipe), f"the peak of {modules}").equals(peak)


@pytest.mark.exercise("step_ledger")
def test_adamw_moves_every_copy(impl, rng):
    """A step of AdamW moves every copy of each part, and its bytes are exact ints"""
    for i in range(8):
        recipe, held = drawn_recipe(rng)
        parameters = int(rng.integers(2**60, 2**62)) | 1 if i else 0
        recipe["optimizer"], moments = (BF16, FP32), 6
        if i % 2:
            recipe["master"], held["master"] = (), 0
        changed = held["master"] or held["parameters"]
        moved = held["gradients"] + 2 * moments + held["master"] + held["parameters"] + changed
        expect(impl.ledger.adamw_cost(parameters, recipe), f"in {recipe}").equals(
            {"flops": 14 * parameters, "bytes": moved * parameters},
            hint="what the step changes is read and written, gradients are only read",
        )


@pytest.mark.exercise("largest_batch")
def test_the_modules_of_random_models(impl, rng):
    """Modules have a real model's parameters, and hold what `model_activations` counts, exactly"""
    for _ in range(4):
        options = {**drawn_options(rng), "batch": int(rng.integers(2**60, 2**62)) | 1}
        sizes = {"vocab": int(rng.integers(1, 99)), "layers": int(rng.integers(1, 4))}
        context = options["seq_len"] + int(rng.integers(9))
        modules = impl.ledger.model_modules(context=context, **sizes, **options, checkpointed=False)
        shape = {name: options[name] for name in ("d_model", "heads", "d_ff")}
        real = Transformer(Sizes(**sizes, **shape, context=context, tied=True, batch=1))
        chain = [[real.position], *(block.parameters() for block in real.blocks)]
        chain.append([*real.norm.parameters(), real.lm_head.weight])
        expect([number for number, _, _ in modules], f"parameters with {shape}").equals(
            [sum(parameter.numel() for parameter in module) for module in chain]
        )
        kept = impl.ledger.model_activations(**sizes, **options)["total"]
        expect(sum(held for _, held, _ in modules), "bytes held").equals(kept)
        expect(sum(needed for _, _, needed in modules), "bytes needed").equals(kept)
    none = impl.ledger.model_modules(**{**TINY, "seq_len": 0, "context": 0})
    expect(none[0], "the embedding without positions").equals((0, 0, 0))


@pytest.mark.exercise("largest_batch")
def test_the_largest_batch_fits(impl, rng):
    """The peak of the largest batch fits, but not with one sequence more, on huge devices too"""
    for i in range(8):
        sizes = {"vocab": 50, "context": 9, "seq_len": int(rng.integers(1, 9)), "d_ff": 30}
        shape = {**sizes, "layers": int(rng.integers(1, 5)), "d_model": 8, "heads": 2}
        options = {**shape, "dtype": BF16, **[WITH_DROPOUT, FLASH][i % 2], "checkpointed": i > 3}
        device = int(rng.integers(10**5, 10**6)) * 10 ** (i % 3 * 20)
        options["vocab"] = 0 if i == 2 else 50
        recipe = {part: [] for part in MASTER} if i == 3 else MASTER
        batch = impl.ledger.largest_batch(device, recipe, **options)
        for more in (0, 1):
            modules = impl.ledger.model_modules(batch=batch + more, **options)
            _, peak = impl.ledger.peak_memory(modules, recipe)
            expect(peak <= device, f"whether {batch + more} sequences fit in {device} B").equals(
                more == 0, hint=f"by your peak_memory their peak is {peak} B"
            )
