"""The ledger, compared with what torch's autograd saves, and with tensors listed one by one."""

import math
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from assignment.expect import expect

PARTS = ["parameters", "gradients", "master", "optimizer"]
DTYPES = [torch.float32, torch.bfloat16, torch.float16]
OTHERS = [torch.float64, torch.float8_e5m2, torch.int8, torch.complex64, torch.float8_e8m0fnu]
WAYS = [(dropout, attention) for dropout in (False, True) for attention in ("math", "flash")]


# --- a real model ------------------------------------------------------------


class Kept:
    """What autograd saves: the bytes of each storage, under the operation that saved it first."""

    def __init__(self, *known):
        self.alive = {t.untyped_storage().data_ptr(): t for t in known}
        self.bytes, self.now, self.names = {}, "", {}

    def save(self, tensor):
        tensor = tensor.detach()  # a graph that holds itself would never be freed
        storage = tensor.untyped_storage()
        if tensor.dim() > 0 and storage.data_ptr() not in self.alive:
            self.alive[storage.data_ptr()] = tensor
            name = self.names.get(storage.data_ptr(), self.now)
            self.bytes[name] = self.bytes.get(name, 0) + storage.nbytes()
        return tensor

    def watch(self):
        return torch.autograd.graph.saved_tensors_hooks(self.save, lambda tensor: tensor)


class Block(nn.Module):
    def __init__(self, d_model, heads, d_ff, dtype, dropout, attention):
        super().__init__()
        self.heads, self.dropout, self.attention = heads, dropout, attention
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        shapes = [(d_model, d_model)] * 4 + [(d_model, d_ff), (d_ff, d_model)]
        self.linear = nn.ModuleList(nn.Linear(*shape, dtype=dtype) for shape in shapes)

    def drop(self, x, kept):
        kept.now = "dropout"
        return torch.native_dropout(x, 0.5, True)[0] if self.dropout else x

    def attend(self, q, k, v, kept):
        if self.attention == "flash":
            kept.now = "softmax"  # but for the tensors that are named here
            given = {t.untyped_storage().data_ptr(): "scores" for t in (q, k)}
            kept.names = given | {v.untyped_storage().data_ptr(): "values"}
            # The output is saved inside, before it has a name here.
            inner = Kept(*kept.alive.values(), q, k, v)
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION), inner.watch():
                mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            for tensor in (q, k, v):
                kept.save(tensor)
            output = mixed.untyped_storage().data_ptr()
            kept.names[output] = "output"
            for pointer, tensor in inner.alive.items():
                if pointer not in kept.alive:
                    kept.save(tensor)
            kept.names = {}
            return mixed
        kept.now = "scores"
        scores = q @ k.transpose(-2, -1) / math.sqrt(max(1, q.shape[-1]))
        kept.now = "softmax"
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        kept.alive[mask.untyped_storage().data_ptr()] = mask  # not counted
        weights = self.drop(scores.masked_fill(mask, -math.inf).softmax(-1), kept)
        kept.now = "values"
        return weights @ v

    def forward(self, x, kept):
        batch, seq_len, d_model = x.shape
        kept.now = "norms"
        y = self.norms[0](x)
        kept.now = "qkv"
        q, k, v = (
            self.linear[i](y).view(batch, seq_len, self.heads, -1).transpose(1, 2) for i in range(3)
        )
        y = self.attend(q, k, v, kept).transpose(1, 2).reshape(batch, seq_len, d_model)
        kept.now = "output"
        x = x + self.drop(self.linear[3](y), kept)
        kept.now = "norms"
        y = self.norms[1](x)
        kept.now = "up"
        y = self.linear[4](y)
        kept.now = "gelu"
        y = functional.gelu(y)
        kept.now = "down"
        return x + self.drop(self.linear[5](y), kept)


class Model(nn.Module):
    """GPT-2's kind of model: the embedding, the blocks, and the norm, the lm_head and the loss."""

    def __init__(self, vocab, context, layers, checkpointed=False, **block):
        super().__init__()
        self.dropout, self.checkpointed = block["dropout"], checkpointed
        self.tokens = nn.Parameter(torch.zeros(vocab, block["d_model"], dtype=block["dtype"]))
        self.places = nn.Parameter(torch.zeros(context, block["d_model"], dtype=block["dtype"]))
        self.blocks = nn.ModuleList(Block(**block) for _ in range(layers))
        self.norm = nn.LayerNorm(block["d_model"])

    def forward(self, tokens, targets, kept):
        kept.now = "embedding"
        x = functional.embedding(tokens, self.tokens) + self.places[: tokens.shape[1]]
        if self.dropout:
            x = torch.native_dropout(x, 0.5, True)[0]
        for block in self.blocks:
            kept.now = "blocks"  # whatever a block says to the copy
            quiet = SimpleNamespace(alive=kept.alive, save=kept.save, watch=kept.watch)
            if self.checkpointed:
                x = checkpoint(block, x, quiet, use_reentrant=False, preserve_rng_state=False)
            else:
                x = block(x, quiet)
        kept.now = "final_norm"
        x = self.norm(x)
        kept.now = "lm_head"
        logits = functional.linear(x, self.tokens)
        kept.now = "loss"
        return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def kept_by_block(batch, seq_len, **options):
    """Bytes that torch keeps of a real block, by component."""
    block, shape = Block(**options), (batch, seq_len, options["d_model"])
    kept = Kept(*block.parameters())
    with kept.watch():
        block(torch.zeros(shape, dtype=options["dtype"], requires_grad=True), kept)
    return kept.bytes


def kept_by_model(batch, seq_len, vocab, layers, **options):
    """Bytes that torch keeps of a real model, by component, and the parameters of its modules."""
    model = Model(vocab, seq_len + 2, layers, **options)
    tokens, targets = (torch.zeros(batch, seq_len, dtype=torch.int64) for _ in range(2))
    kept = Kept(*model.parameters(), tokens, targets)
    with kept.watch():
        model(tokens, targets, kept)
    count = lambda *modules: sum(p.numel() for m in modules for p in m.parameters())  # noqa: E731
    sizes = [model.places.numel(), *map(count, model.blocks)]
    return kept.bytes, [*sizes, count(model.norm) + model.tokens.numel()]


def random_shape(rng):
    heads = int(rng.integers(1, 5))
    return {
        "batch": int(rng.integers(1, 5)),
        "seq_len": int(rng.integers(1, 20)),
        "d_model": heads * int(rng.integers(1, 9)),
        "heads": heads,
        "d_ff": int(rng.integers(1, 70)),
    }


# --- the same, from lists of shapes ------------------------------------------


def tensors_of_block(*, batch, seq_len, d_model, heads, d_ff, dtype, dropout, attention):
    """The tensors that a block keeps: (shape, bytes per element), by component."""
    e, flash = torch.empty(1, dtype=dtype, device="meta").nbytes, attention == "flash"
    x, hidden = (batch, seq_len, d_model), (batch, seq_len, d_ff)
    scores, token = (batch, heads, seq_len, seq_len), (batch, seq_len)
    masks = [(x, 1), (x, 1)] + ([] if flash else [(scores, 1)])
    return {
        "norms": [(x, e), (token, 4), (token, 4)] * 2,
        "qkv": [(x, e)],
        "scores": [(x, e), (x, e)],
        "softmax": [((batch, heads, seq_len), 4)] if flash else [(scores, e)],
        "values": [(x, e), *([(scores, e)] if dropout and not flash else [])],
        "output": [(x, e)],
        "up": [(x, e)],
        "gelu": [(hidden, e)],
        "down": [(hidden, e)],
        "dropout": masks if dropout else [],
    }


def with_total(parts):
    """The parts, of which the total is none, and their sum."""
    parts = {name: size for name, size in parts.items() if name != "total"}
    return {**parts, "total": sum(parts.values())}


def size_of(kept):
    return sum(math.prod(shape) * each for shape, each in kept)


def listed_block(**options):
    return with_total({name: size_of(kept) for name, kept in tensors_of_block(**options).items()})


def listed_model(*, vocab, layers, **options):
    tensors = tensors_of_block(**options)
    x, e = tensors["qkv"][0]
    return with_total(
        {
            "embedding": size_of([(x, 1)]) if options["dropout"] else 0,
            "blocks": sum(map(size_of, tensors.values())) * layers,
            "final_norm": size_of(tensors["norms"][:3]),
            "lm_head": size_of([(x, e)]),
            "loss": size_of([((*x[:2], vocab), 4)]),
        }
    )


def listed_modules(*, vocab, context, checkpointed, **options):
    kept = listed_model(vocab=vocab, **options)
    layers = options.pop("layers")
    block, h, f = listed_block(**options), options["d_model"], options["d_ff"]
    shapes = [(h,)] * 4 + [(h, h), (h,)] * 4 + [(h, f), (f,), (f, h), (h,)]
    of_block = sum(map(math.prod, shapes)), block["qkv" if checkpointed else "total"]
    first, last = kept["embedding"], kept["total"] - kept["embedding"] - kept["blocks"]
    return [
        (context * h, first, first),
        *[(*of_block, block["total"])] * layers,
        (vocab * h + 2 * h, last, last),
    ]


def random_options(rng):
    (dropout, attention), shape = WAYS[int(rng.integers(4))], random_shape(rng)
    shape["seq_len"] = int(rng.integers(1, 20))
    dtype = [*DTYPES, *OTHERS][int(rng.integers(8))]
    return {**shape, "dtype": dtype, "dropout": dropout, "attention": attention}


def huge_options(rng):
    """Sizes whose counts are far beyond 2**64, and odd."""
    options, heads = random_options(rng), int(rng.integers(2**10, 2**12)) | 1
    odd = {name: int(rng.integers(2**30, 2**32)) | 1 for name in ("batch", "seq_len", "d_ff")}
    width = int(rng.integers(2 ** int(rng.choice([20, 60])))) | 1
    return {**options, **odd, "heads": heads, "d_model": heads * width}


# --- activation_ledger -------------------------------------------------------


def check_block(impl, rng, **way):
    """Compares with what autograd saves of real blocks."""
    for i in range(6):
        shape, way["dtype"] = random_shape(rng), DTYPES[i % 3]
        found = impl.ledger.block_activations(**shape, **way)
        saved = dict.fromkeys(found, 0) | kept_by_block(**shape, **way)
        expect(found, f"a block of {shape} in {way['dtype']}").equals(with_total(saved))


def check_listed(later, rng, options, **more):
    """Compares a block and a model with their tensors, listed one by one."""
    more = {"vocab": int(rng.integers(1, 99)), "layers": int(rng.integers(1, 9))} | more
    later.ledger.block_activations(**options).equals(listed_block(**options))
    later.ledger.model_activations(**more, **options).equals(listed_model(**more, **options))


@pytest.mark.exercise("activation_ledger", weight=2)
@pytest.mark.parametrize("dropout", [False, True], ids=["no dropout", "dropout"])
def test_a_block_keeps_what_autograd_saves(impl, rng, dropout):
    """Each component of a block, and their total, are the bytes that autograd saves of a real
    one ({case})"""
    check_block(impl, rng, dropout=dropout, attention="math")


@pytest.mark.exercise("activation_ledger", weight=2)
@pytest.mark.parametrize("dropout", [False, True], ids=["no dropout", "dropout"])
def test_a_block_with_flash_keeps_what_autograd_saves(impl, rng, dropout):
    """With flash attention too, each component keeps what autograd saves of a block ({case})"""
    check_block(impl, rng, dropout=dropout, attention="flash")


@pytest.mark.exercise("activation_ledger")
def test_any_dtype_of_whole_bytes(later, rng):
    """Each component of a block and of a model keeps the right bytes, ints, in every other dtype,
    too: masks 1, and what is in fp32 4"""
    for dtype in OTHERS * 4:
        check_listed(later, rng, random_options(rng) | {"dtype": dtype})


@pytest.mark.exercise("activation_ledger")
def test_the_papers_sum(impl, later, rng):
    """Blocks in 16 bits keep the paper's sums, and 16 bytes per token for the norms"""
    for _ in range(10):
        b, s, a = rng.integers(1, 2000, size=3).tolist()
        h = a * int(rng.integers(1, 200))
        shape = {"batch": b, "seq_len": s, "d_model": h, "heads": a, "d_ff": 4 * h}
        for dropout, attention, per_sbh, rest in [
            (True, "math", 34, 5 * a * s * s * b),
            (False, "math", 32, 2 * a * s * s * b),
            (False, "flash", 32, 4 * a * s * b),
        ]:
            way = {"dtype": DTYPES[1 + int(rng.integers(2))], "attention": attention}
            found = impl.ledger.block_activations(**shape, **way, dropout=dropout)
            expect(found["total"]).equals(per_sbh * s * b * h + rest + 16 * s * b)
        options = random_options(rng)  # of any dtype and width
        later.ledger.block_activations(**options).equals(listed_block(**options))


@pytest.mark.exercise("activation_ledger", weight=2)
@pytest.mark.parametrize("dropout", [False, True], ids=["no dropout", "dropout"])
def test_a_model_keeps_what_autograd_saves(impl, rng, dropout):
    """Each component of a model keeps the bytes that autograd saves of a real one ({case})"""
    for i in range(6):
        shape, sizes = random_shape(rng), {"vocab": int(rng.integers(1, 99)), "layers": i % 4}
        way = {"dtype": DTYPES[i % 3], "dropout": dropout, "attention": "math"}
        found = impl.ledger.model_activations(**sizes, **shape, **way)
        saved = dict.fromkeys(found, 0) | kept_by_model(**shape, **sizes, **way)[0]
        expect(found, f"{sizes} of {shape} in {DTYPES[i % 3]}").equals(with_total(saved))


@pytest.mark.exercise("activation_ledger")
def test_huge_ledgers_are_exact(later, rng):
    """Bytes beyond 64 bits are exact integers"""
    for dropout, attention in WAYS * 2:
        way = {"dropout": dropout, "attention": attention}
        more = {"vocab": int(rng.integers(2**62)) | 1, "layers": int(rng.integers(2**40)) | 1}
        check_listed(later, rng, huge_options(rng) | way, **more)
        # Each component fits into 63 bits, and their sum does not.
        options, more = random_options(rng) | way, {"vocab": 9, "layers": 2}
        for total in (listed_block(**options), listed_model(**more, **options)):
            batch = 2**63 // (total["total"] // options["batch"]) + 1
            check_listed(later, rng, options | {"batch": batch}, **more)


@pytest.mark.exercise("activation_ledger")
def test_sizes_of_0_keep_what_is_left(later, rng):
    """A size of 0 is a size like any other"""
    for size in ("batch", "seq_len", "d_model", "d_ff", "vocab", "layers"):
        for dropout, attention in WAYS:
            options = random_options(rng) | {"dropout": dropout, "attention": attention}
            if size in options:
                check_listed(later, rng, options | {size: 0})
            else:
                check_listed(later, rng, options, **{size: 0})


# --- deep_network ------------------------------------------------------------


def lecture_network(weights):
    """The deep network of these weights, of torch's own layers, which store the transposes."""
    layers = []
    for weight in weights:
        linear = nn.Linear(*weight.shape, bias=False, dtype=weight.dtype)
        linear.weight = nn.Parameter(weight.T.clone())
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def random_network(rng, layers):
    """Arguments of a `DeepNetwork`."""
    return int(rng.integers(2, 9)), layers, int(rng.integers(2, 6))


def weight_shapes(width, layers, outputs):
    return [(width, width)] * layers + [(width, outputs)]


def check_pass(impl, rng, network, dtype, largest):
    """Checks a forward and a backward pass of whole numbers, which are exact in `dtype`."""
    draw = lambda *shape: torch.from_numpy(rng.integers(-largest, largest + 1, shape)).to(dtype)  # noqa: E731
    batch = int(rng.integers(2, 6))
    weights = [draw(*shape) for shape in weight_shapes(*network)]
    x, grad = draw(batch, network[0]), draw(batch, network[2])
    found = impl.scenarios.deep_network_pass(*network, x, grad, weights)
    ours = lecture_network([weight.double() for weight in weights])
    output = ours(x.double())
    (output * grad).sum().backward()
    expect(found["output"], "the output").equals(output.detach().to(dtype))
    grads = [p.grad.T.to(dtype) for p in ours.parameters()]
    expect(found["grads"], "the gradients of the weights").equals(grads)


@pytest.mark.exercise("deep_network", weight=2)
def test_a_pass_through_a_network(impl, rng):
    """Weights that are loaded make the output, each layer with its ReLU and the head without, and
    get their gradients"""
    for layers in (0, 1, 2, 3):
        check_pass(impl, rng, random_network(rng, layers), torch.float32, 2)
        check_pass(impl, rng, (*random_network(rng, layers)[:2], 1), torch.float32, 2)


@pytest.mark.exercise("deep_network", needs="test_a_pass_through_a_network")
def test_a_pass_in_another_dtype(impl, rng):
    """A network that was converted computes in its dtype, float64 or bfloat16"""
    for _ in range(3):
        network = random_network(rng, 2)
        check_pass(impl, rng, network, torch.float64, 1000)  # sums of products beyond 2²⁴
        check_pass(impl, rng, (3, 1, network[2]), torch.bfloat16, 2)  # and here none beyond 2⁸


@pytest.mark.exercise("deep_network", weight=2, needs="test_a_pass_through_a_network")
def test_drawn_weights(impl, rng):
    """Weights are drawn in float32, independently from a normal distribution of deviation
    1/√width"""
    width, outputs = int(rng.integers(70, 99)), int(rng.integers(250, 400))
    x, grad = torch.zeros(1, width), torch.zeros(1, outputs)
    drawn = impl.scenarios.deep_network_pass(width, 3, outputs, x, grad)["drawn"]
    shapes = weight_shapes(width, 3, outputs)
    expect(len(drawn), "the number of parameters").equals(len(shapes))
    by_deviation = []
    for weight, shape in zip(drawn, shapes, strict=True):
        z = expect(weight).is_tensor(shape, torch.float32).double().flatten() * math.sqrt(width)
        # 7 standard errors: with a probability of 1e-11 right code fails.
        expect(z.std().item(), f"the deviation of a weight of {shape}, by 1/√width").close(
            1.0, rtol=7 / math.sqrt(2 * len(z))
        )
        by_deviation.append(z)
    z = torch.cat(by_deviation).sort().values
    # Kolmogorov and Smirnov; beyond √(13 / n) with a probability of 1e-11 (Massart 1990).
    far = (torch.special.ndtr(z) - torch.arange(len(z)) / len(z)).abs().max().item()
    expect(far, "how far from a normal distribution").close(
        0.0, rtol=0, atol=math.sqrt(13 / len(z))
    )
    assert len(z.unique()) > 0.97 * len(z), "elements are repeated"


def random_accounts(rng):
    """Arguments of accounts: a few small networks, whose products and tensors torch can count."""
    for layers in (0, 1, 2, 3, 5):
        width, layers, outputs = random_network(rng, layers)
        sizes = {"width": width, "layers": layers, "outputs": outputs}
        for dtype in (*DTYPES, torch.float64):
            yield {**sizes, "batch": int(rng.integers(2, 9)), "dtype": dtype}


def counted_by_torch(width, layers, outputs, batch, dtype):
    """The account of a real network."""
    network = lecture_network(
        [torch.zeros(*s, dtype=dtype) for s in weight_shapes(width, layers, outputs)]
    )
    x, parameters = torch.zeros(batch, width, dtype=dtype), list(network.parameters())
    kept = Kept(x, *parameters)
    with FlopCounterMode(display=False) as forward, kept.watch():
        output = network(x)
    with FlopCounterMode(display=False) as backward:
        output.sum().backward()
    return {
        "parameters": sum(p.numel() for p in parameters),
        "forward_flops": forward.get_total_flops(),
        "backward_flops": backward.get_total_flops(),
        "saved_bytes": sum(kept.bytes.values()),
    }


def listed_account(width, layers, outputs, batch, dtype):
    """The account from lists of products and of tensors, of any size."""
    shapes = weight_shapes(width, layers, outputs)
    products = [(batch, *shape) for shape in shapes]  # one for the forward pass, one for its weight
    return {
        "parameters": sum(map(math.prod, shapes)),
        "forward_flops": 2 * sum(map(math.prod, products)),
        "backward_flops": 2 * sum(map(math.prod, products + products[1:])),
        "saved_bytes": size_of([((batch, width), dtype.itemsize)] * layers),
    }


def check_accounts(later, rng, *entries):
    """Checks entries of accounts: of small networks as torch counts them, and of huge ones."""

    def check(sizes, account):
        some = {entry: account[entry] for entry in entries}
        later.ledger.deep_network_account(**sizes).has(some)

    for sizes in random_accounts(rng):
        check(sizes, counted_by_torch(**sizes))
    for layers in (2, 9):
        width, outputs, batch = (int(n) | 1 for n in rng.integers(2**50, 2**60, size=3))
        sizes = {"width": width, "layers": layers, "outputs": outputs, "batch": batch}
        check({**sizes, "dtype": torch.float16}, listed_account(**sizes, dtype=torch.float16))


@pytest.mark.exercise("deep_network")
def test_parameters_and_the_forward_pass(later, rng):
    """Parameters are those of all weights, and the forward pass has the FLOPs that torch counts"""
    check_accounts(later, rng, "parameters", "forward_flops")


@pytest.mark.exercise("deep_network", weight=2)
def test_flops_of_the_backward_pass(later, rng):
    """The backward pass has the FLOPs that torch counts where the input needs no gradient"""
    check_accounts(later, rng, "backward_flops")


@pytest.mark.exercise("deep_network", weight=2)
def test_bytes_that_autograd_keeps(later, rng):
    """Each tensor that torch's autograd keeps counts once, in its dtype, but not x or parameters"""
    check_accounts(later, rng, "saved_bytes")


# --- step_ledger -------------------------------------------------------------


def each(dtypes):
    """Total bytes of one-element tensors, one of each of these dtypes."""
    return sum(torch.empty(1, dtype=dtype, device="meta").nbytes for dtype in dtypes)


def random_recipe(rng, moments=None):
    """A recipe of one to three copies in each part; `moments` sets how many the optimizer has."""
    dtypes = [torch.float64, torch.float32, torch.bfloat16, torch.int8]
    recipe = {}
    for i in rng.permutation(4):
        count = int(rng.integers(1, 4))
        if moments is not None and PARTS[i] == "optimizer":
            count = moments
        recipe[PARTS[i]] = (list, tuple)[i % 2](dtypes[d] for d in rng.integers(4, size=count))
    if rng.random() < 0.4:
        recipe["master"] = []
    return recipe


def random_modules(rng, most=9, largest=10**4):
    """Modules of which some hold more than their gradients take, and some less."""
    count = int(rng.integers(1, most))
    held = [int(n) for n in rng.integers(largest, size=count)]
    more = [int(n) for n in rng.integers(largest, size=count) * rng.integers(2, size=count)]
    parameters = [int(n) for n in rng.integers(largest // 2, size=count)]
    return [(p, h, h + m) for p, h, m in zip(parameters, held, more, strict=True)]


def alive(modules, recipe):
    """A step as intervals: what is alive at each moment, found by asking each module."""
    count, of_part = len(modules), {part: each(recipe[part]) for part in PARTS}
    names = [f"forward {i}" for i in range(count)]
    names += [f"backward {i}" for i in reversed(range(count))]
    for now, name in enumerate([*names, "optimizer step"]):
        held = dict.fromkeys(PARTS, 0) | {"activations": 0}
        for i, (parameters, stored, needed) in enumerate(modules):
            dies = 2 * count - 1 - i
            for part, size in of_part.items():
                if part != "gradients" or now >= dies:
                    held[part] += parameters * size
            if i <= now < dies:
                held["activations"] += stored
            if now == dies:
                held["activations"] += needed
        yield name, with_total(held)


def check_steps(later, modules, recipe):
    later.ledger.step_ledger(modules, recipe).equals(list(alive(modules, recipe)))


def check_peak(later, modules, recipe):
    totals = {moment: held["total"] for moment, held in alive(modules, recipe)}
    first = max(totals, key=totals.get)
    later.ledger.peak_memory(modules, recipe).equals((first, totals[first]))


@pytest.mark.exercise("step_ledger", weight=2)
def test_what_is_alive_at_each_moment(later, rng):
    """The ledger lists every moment by its name, with what is alive at it, part by part, and
    their total"""
    for _ in range(15):
        modules, recipe = random_modules(rng), random_recipe(rng)
        modules[int(rng.integers(len(modules)))] = (0, 3, int(rng.integers(3, 9)))
        check_steps(later, modules, recipe)


@pytest.mark.exercise("step_ledger")
def test_a_chain_of_many_modules(impl, later, rng):
    """Chains of none, of a hundred and of over a thousand modules have their moments in order,
    and their peak"""
    for modules in (random_modules(rng, 3) * 50, []):
        recipe = random_recipe(rng)
        check_steps(later, modules, recipe)
        check_peak(later, modules, recipe)
    deep, recipe = [(0, 3, 5)] * int(rng.integers(1200, 1500)), random_recipe(rng)
    last = f"backward {len(deep) - 1}"
    later.ledger.peak_memory(deep, recipe).equals((last, 3 * len(deep) + 2))
    expect(len(impl.ledger.step_ledger(deep, recipe))).equals(2 * len(deep) + 1)


@pytest.mark.exercise("step_ledger")
def test_the_chain_may_be_any_sequence(later, rng):
    """Modules may be lists in a tuple, as well as tuples in a list"""
    for _ in range(4):
        check_steps(later, tuple(map(list, random_modules(rng))), random_recipe(rng))


@pytest.mark.exercise("step_ledger", weight=2)
def test_the_peak_is_the_largest_total(later, rng):
    """The peak is the largest total of all moments, with the first moment that has it"""
    for i in range(40):
        modules, recipe = random_modules(rng, 5, 100), random_recipe(rng)
        if i % 4 == 0:  # gradients outgrow activations: the end of the backward pass
            modules = [(9000 + p, h, n) for p, h, n in modules]
        if i % 4 == 1:  # a checkpointed module in the middle
            modules.insert(1, (1, 5, 10**6))
            modules.append((0, 3, 3))
        if i % 4 == 2:
            modules.append((0, 0, 0))  # a forward pass and a backward pass are alike
        check_peak(later, modules, recipe)


@pytest.mark.exercise("step_ledger")
def test_the_first_of_several_peaks(later, rng):
    """If several moments have the largest total, the peak is the first of them"""
    for _ in range(8):
        recipe, parameters = random_recipe(rng), int(rng.integers(1, 99))
        empty, held = [(0, 0, 0)] * int(rng.integers(1, 5)), int(rng.integers(1, 99))
        large = int(rng.integers(2**60, 2**62))  # a byte more, which no float tells
        for modules in (
            [*empty, (0, held, held), *empty],
            [*empty, (parameters, 0, 0)],
            empty,
            [(0, large, large), (0, 0, 1)],
        ):
            check_peak(later, modules, recipe)
        check_peak(later, [(parameters, 0, 0)], {**recipe, "gradients": []})


def check_adamw(later, parameters, recipe):
    cost = {"flops": parameters * flops_of_adamw(), "bytes": parameters * moved(recipe)}
    later.ledger.adamw_cost(parameters, recipe).equals(cost)


@pytest.mark.exercise("step_ledger")
def test_a_step_of_adamw_costs_its_operations(later, rng):
    """AdamW's FLOPs are the operations of its four lines, its bytes what they read and write"""
    one = [torch.float32]
    for i in range(16):
        recipe = random_recipe(rng, moments=2) | ({"master": one} if i % 2 else {})
        check_adamw(later, int(rng.integers(1, 10**9)), recipe)
        check_adamw(later, 0, recipe)
        check_adamw(later, 3, recipe | {"gradients": []})
        check_adamw(later, 3, recipe | {"parameters": one, "master": one})


@pytest.mark.exercise("step_ledger")
def test_huge_steps_are_exact(later, rng):
    """Bytes beyond 64 bits are exact integers, and so are AdamW's FLOPs and bytes"""
    for _ in range(6):
        recipe = random_recipe(rng, moments=2)
        modules = [
            (p << 40 | 1, h << 50 | 1, (h << 50) + (n << 40) + 1)
            for p, h, n in random_modules(rng, 4, 2**40)
        ]
        check_steps(later, modules, recipe)
        check_peak(later, modules, recipe)
        check_adamw(later, (int(rng.integers(2**62)) << 10) | 1, recipe)


class Counted:
    """A number that counts the operations in which it takes part."""

    done = 0

    def sqrt(self, other=None):  # and any other operation
        Counted.done += 1
        return Counted()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = sqrt


def flops_of_adamw():
    """Counts the four lines of `adamw_step`'s docstring; plain numbers count nothing."""
    p, g, m, v = (Counted() for _ in range(4))
    lr, decay, eps, b1, b2, t = 0.1, 0.1, 0.1, 0.9, 0.99, 3
    Counted.done = 0
    p = p * (1 - lr * decay)
    m = m + (1 - b1) * (g - m)
    v = b2 * v + (1 - b2) * (g * g)
    p = p - lr / (1 - b1**t) * m / (v.sqrt() / math.sqrt(1 - b2**t) + eps)
    return Counted.done


def moved(recipe):
    """Bytes that one parameter's step reads and writes: arrays one by one."""
    reads = [recipe["gradients"], recipe["optimizer"]]
    reads.append(recipe["master"] if len(recipe["master"]) > 0 else recipe["parameters"])
    writes = [recipe["optimizer"], recipe["master"], recipe["parameters"]]
    return sum(each(dtypes) for dtypes in reads + writes)


# --- largest_batch -----------------------------------------------------------


def random_model(rng):
    """Options of a model, without a batch."""
    options = random_options(rng)
    del options["batch"]
    return options | {
        "vocab": int(rng.integers(1, 99)),
        "context": options["seq_len"] + int(rng.integers(3)),
        "layers": int(rng.integers(5)),
        "checkpointed": bool(rng.integers(2)),
    }


def peak(batch, recipe, model):
    return max(held["total"] for _, held in alive(listed_modules(batch=batch, **model), recipe))


def fitting(device, recipe, model):
    """The largest batch that fits, by trying; an empty one does."""
    high = 1
    while peak(high, recipe, model) <= device:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if peak(middle, recipe, model) <= device else (low, middle)
    return low


def check_modules(later, **model):
    later.ledger.model_modules(**model).equals(listed_modules(**model))


def check_fits(later, device, recipe, model):
    fits = fitting(device, recipe, model)
    later.ledger.largest_batch(device, recipe, **model).equals(fits)


@pytest.mark.exercise("largest_batch", weight=2)
def test_modules_of_a_model(later, rng):
    """The chain is the embedding, each block, and the end: parameters, bytes held and needed"""
    for i in range(30):
        check_modules(later, batch=i % 5, **random_model(rng))


@pytest.mark.exercise("largest_batch")
@pytest.mark.parametrize("checkpointed", [False, True], ids=["all kept", "checkpointed"])
def test_modules_are_those_of_a_real_model(impl, rng, checkpointed):
    """Modules have a real model's parameters, and hold what autograd saves of it ({case})"""
    for i in range(6):
        shape, sizes = random_shape(rng), {"vocab": int(rng.integers(1, 99)), "layers": 1 + i % 3}
        way = {"dtype": DTYPES[i % 3], "dropout": i % 2 == 0, "attention": "math"}
        way["checkpointed"] = checkpointed
        saved, parameters = kept_by_model(**shape, **sizes, **way)
        context = shape["seq_len"] + 2
        modules = impl.ledger.model_modules(**shape, **sizes, context=context, **way)
        assert isinstance(modules, list | tuple)
        expect([module[0] for module in modules], "parameters").equals(parameters)
        expect(sum(module[1] for module in modules), "bytes held").equals(sum(saved.values()))


@pytest.mark.exercise("largest_batch", weight=2)
def test_one_sequence_more_does_not_fit(later, rng):
    """The largest batch fits to the last byte; one sequence more, or one byte less, does not"""
    for i in range(24):
        model, recipe, batch = random_model(rng), random_recipe(rng), i % 6
        need = [peak(batch + n, recipe, model) for n in (0, 1)]
        # Where the gradients' end decides, a sequence more may take nothing more.
        room = [need[0], max(need[0], need[1] - 1), int(rng.integers(need[0], need[1] + 1))]
        for device in room:
            check_fits(later, device, recipe, model)
        if batch and need[0] > peak(batch - 1, recipe, model):
            later.ledger.largest_batch(need[0] - 1, recipe, **model).equals(batch - 1)


@pytest.mark.exercise("largest_batch")
def test_the_peak_moves_with_the_batch(later, rng):
    """Small batches peak at the end of the backward pass, large ones at its start: both count"""
    for _ in range(6):
        model = random_model(rng) | {"layers": 4, "checkpointed": False, "d_ff": 60, "context": 99}
        recipe = random_recipe(rng) | {"gradients": [torch.float64] * int(rng.integers(2, 5))}
        for batch in (1, 2, 5, 20, 300):
            check_fits(later, peak(batch, recipe, model), recipe, model)


@pytest.mark.exercise("largest_batch")
def test_huge_batches_are_exact(later, rng):
    """Batches beyond 2**63 are exact, and so are modules beyond 2**64 bytes"""
    for _ in range(6):
        model, recipe = random_model(rng), random_recipe(rng)
        batch, other = (
            (int(n) << int(rng.choice([12, 120]))) | 1 for n in rng.integers(2**62, size=2)
        )
        check_modules(later, batch=other, **model)  # the batch itself would be the answer below
        for less in (0, 1):
            device = peak(batch, recipe, model) - less
            later.ledger.largest_batch(device, recipe, **model).equals(batch - less)
        sizes = ["seq_len", "d_model", "heads", "d_ff"]
        wide = model | {name: size for name, size in huge_options(rng).items() if name in sizes}
        wide |= {"vocab": int(rng.integers(2**62)) | 1, "context": wide["seq_len"]}
        check_modules(later, batch=3, **wide)


@pytest.mark.exercise("largest_batch")
def test_models_without_words(later, rng):
    """A vocabulary of 0 is one like any other, and so is a context of 0 for sequences of 0"""
    for _ in range(4):
        model, recipe = random_model(rng) | {"vocab": 0}, random_recipe(rng)
        check_fits(later, peak(int(rng.integers(1, 9)), recipe, model), recipe, model)
        check_modules(later, batch=2, **model | {"seq_len": 0, "context": 0})


@pytest.mark.exercise("largest_batch")
def test_refuses_devices_too_small_for_the_model(later, rng):
    """A device is refused if not even an empty batch fits; if only that does, the batch is 0"""
    for _ in range(8):
        model, recipe = random_model(rng) | {"vocab": 10**4}, random_recipe(rng)
        least = peak(0, recipe, model)
        for device in (least - 1, int(rng.integers(least)), 0):
            later.ledger.largest_batch(device, recipe, **model).raises(ValueError)
        for device in (least, peak(int(rng.integers(2, 9)), recipe, model)):
            check_fits(later, device, recipe, model)
        nothing = {part: [] for part in PARTS}  # the activations alone
        later.ledger.largest_batch(0, nothing, **model).equals(0)
        check_fits(later, peak(1, nothing, model), nothing, model)
