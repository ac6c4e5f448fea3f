"""What the chapters must say, computed: rounded numbers, and those that follow from several others.

The key is a chapter. Each text must stand in it. Exact numbers of the exercises are in the FACTS of
`test_writeup.py`.
"""

import math
from dataclasses import asdict, replace
from inspect import isgeneratorfunction

import torch

from assignment.figures import wire
from assignment.material.small_transformer import GPT2, SMALL
from assignment.material.step_counts import PART, count_step
from assignment.programs import find
from grader.authoring.figures import REFERENCE
from grader.authoring.figures.prediction import peak_candidates
from grader.races.statistic import FULL_AT, Marks
from solutions.resource_accounting import (
    budget,
    communication,
    device,
    dtypes,
    floats,
    flops,
    inference,
    optimizers,
    recompute,
    roofline,
)
from tests.text.measured import crossings, gelu, softmax
from tests.text.numbers_in_ledger import of_ledger
from tests.text.numbers_in_problems import (
    BF16,
    FP16,
    FP32,
    H100,
    MOMENTS,
    decoded,
    in_format,
    llama_2,
    percent,
    power,
    predicted,
)

PEAK = H100.peak_flops["bf16"]
XL = {"vocab": 50257, "layers": 48, "d_model": 1600, "heads": 25, "d_ff": 6400, "kv_heads": 25}
MIXTRAL = {"vocab": 32000, "layers": 32, "d_model": 4096, "heads": 32, "kv_heads": 8}
MIXTRAL |= {"d_expert": 14336, "experts": 8, "experts_per_token": 2}
DEEPSEEK_MOE = {"vocab": 102400, "layers": 28, "d_model": 2048, "heads": 16, "d_expert": 1408}
DEEPSEEK_MOE |= {"experts": 64, "experts_per_token": 6, "shared_experts": 2}
DEEPSEEK_MOE |= {"dense_layers": 1, "d_ff": 10944}
LOCAL_LAYERS = {  # each layer's window; then d_model, heads, kv_heads, head_dim
    "Mistral 7B": (32 * [4096], 4096, 32, 8, 128),
    "Gemma 3 27B": (10 * [*5 * [1024], None] + 2 * [1024], 5376, 32, 16, 128),
    "gpt-oss-120b": (18 * [128, None], 2880, 64, 8, 64),
}
DEEPSEEK_V3 = {"d_model": 7168, "heads": 128, "query_rank": 1536, "kv_rank": 512, "nope_dim": 128}
DEEPSEEK_V3 |= {"rope_dim": 64, "value_dim": 128}
ACCELERATED = roofline.accelerator_intensity(PEAK, H100.bandwidth)


def ms(seconds: float, digits: int) -> str:
    return f"{1e3 * seconds:.{digits}f} ms"


def normal(x: float) -> float:
    """The probability that a standard normal number is above x."""
    return math.erfc(x / math.sqrt(2)) / 2


def _index():
    yield f"{percent(2**30 / 1e9 - 1)} apart"
    assert math.ceil(70 * budget.bytes_per_parameter(MOMENTS) / 80) == 11
    yield "eleven of them"
    relu = 4e9 / H100.bandwidth
    yield f"takes an H100 {ms(relu, 1)}"
    yield f"could have done {power(relu * PEAK, 1)} FLOPs"
    assert 1e9 / (relu * PEAK) < 1 / 1000
    yield "less than a thousandth"
    yield f"ln 256 = {math.log(256):.2f}"


def _dtypes():
    matrix = (49152, 12288)
    packed = dtypes.block_scaled_bytes(matrix, 4, 16, 8)
    yield f"{dtypes.tensor_bytes(matrix, BF16) / packed:.2f} times as much"
    yield f"{dtypes.tensor_bytes(matrix, FP32) / 1e9:.3f} GB"
    yield f"difference is {percent(2**30 / 1e9 - 1)}"


def _floats():
    yield f"{1e-8 / 2**-24:.2f} of that"
    yield f"becomes {floats.round_to_format(1e-8, 8, 7):.5g}.".replace("e-08", "e-8")
    yield f"{65519 / 32:.2f}, so 2047"
    yield f"2⁻⁵ = {2**-5:.3f} apart"
    for term, total, digits in ((FP32, FP32, 4), (FP16, FP16, 4), (FP16, FP32, 4), (BF16, FP32, 4)):
        yield f"| {floats.accumulate(0.01, 1000, term, total):.{digits}f} |"
    yield f"| {floats.accumulate(0.01, 1000, BF16, BF16):g} |"
    error = floats.accumulate(0.01, 750, FP16, FP16) - 7.5
    yield f"after 750 additions the error is {error:g}"
    yield f"{in_format(0.01, FP16):.6f} in fp16, {in_format(0.01, BF16):.7f} in bf16"
    for kind, block in [("nvfp4", [12.0, 1.2, -3.0]), ("mxfp8", [1000.0, 1.7])]:
        scale, elements = floats.quantize_block(block, kind)
        stored = [scale * element for element in elements]
        if kind == "nvfp4":
            yield f"rounded {elements}".replace(".0", "").replace("-", "−")
            yield f"stand for {stored}".replace(".0", "").replace("-", "−")
        else:
            yield f"stored as {stored[0]:g}, {percent(1 - stored[0] / 1000)} too small"
            yield f"becomes {elements[1]:g} · {scale:g} = {stored[1]:g}"
    assert floats.round_to_format(1000 / 4, 4, 3, "fn") == 256


def _named_axes():
    yield f"{percent(1 - 1 / 25)} of them 0"
    work = flops.einsum_flops("h q d, h k d -> h q k", (25, 1024, 64), (25, 1024, 64))
    yield f"= {work:,} FLOPs"


def _flops():
    parameters = flops.transformer_parameters(**XL, gated=True, tied=False)
    for tokens, shares in ((1024, (1.04, 1.08)), (16384, (2.15, 2.23))):
        work = flops.transformer_forward_flops(**XL, seq_len=tokens, batch=1, gated=True)["total"]
        counted = (parameters["total"], parameters["total"] - parameters["embedding"])
        for of_all, share in zip(counted, shares, strict=True):
            assert round(work / (2 * of_all * tokens), 2) == share
    yield "is 1.04 times 2ND at T = 1024, and 2.15 times at T = 16384"
    yield "it is 1.08 and 2.23 times"
    yield f"embedding is {percent(parameters['embedding'] / parameters['total'], 1)} of N"
    yield f"has {256 * 50257:,} parameters"
    widths = (256, 256, 64)
    whole, part = (flops.mlp_backward_flops(1024, widths, grad) for grad in (True, False))
    yield f"it is {percent(whole / part - 1)} too high"
    yield f"needs {ms(flops.matmul_flops(16384, 32768, 8192) / PEAK, 1)} for this"
    counts = [flops.moe_parameters(**model) for model in (MIXTRAL, DEEPSEEK_MOE)]
    for row, name in (("parameters, total", "total"), ("active", "active")):
        yield f"| {row} | {' | '.join(f'{count[name]:,}' for count in counts)} |"
    settings = ("experts", "experts_per_token", "shared_experts")
    given = [", ".join(f"{model.get(n, 0)}" for n in settings) for model in (MIXTRAL, DEEPSEEK_MOE)]
    yield f"| experts: routed, per token, shared | {' | '.join(given)} |"
    yield f"| width of an expert | {MIXTRAL['d_expert']} | {DEEPSEEK_MOE['d_expert']} |"
    mixtral = counts[0]
    active = 10**12 * mixtral["training_flops_per_token"]
    everything = flops.training_flops(mixtral["total"], 10**12)
    yield f"takes {power(active, 2)} FLOPs"
    yield f"would make it {power(everything, 2)}, {everything / active:.1f} times too much"
    for name, model in (("Mixtral", MIXTRAL), ("DeepSeekMoE", DEEPSEEK_MOE)):
        chosen = model["experts"], model["experts_per_token"]
        read = " | ".join(f"{flops.distinct_experts(*chosen, n):.1f}" for n in (1, 2, 8, 64))
        yield f"| {name}, of {model['experts']} | {read} |"


def _gradients():
    assert flops.linear_backward_flops(1024, 256, 64, True) == 1024 * 65_536
    yield "a thousandth of that"


def _roofline():
    yield f"= {ACCELERATED:.1f} for an H100"
    for intensity, digits in ((0.25, 2), (5, 1), (0.5, 2), (0.9976, 2)):
        yield f"| memory | {percent(intensity / ACCELERATED, digits)} |"
    product, relu = flops.matmul_flops(*[1024] * 3) / PEAK, 4 * 1024**2 / H100.bandwidth
    yield f"{product * 1e6:.2f} µs at least, and a ReLU on its result {relu * 1e6:.2f} µs more"
    yield f"again: {(product + relu) * 1e6:.2f} µs"
    one, many = (roofline.matmul_intensity(b, 8192, 8192, 2) for b in (1, 256))
    yield f"{one:.4f} for 1 token and {many:.0f} for 256"
    crossover = roofline.crossover_size(PEAK, H100.bandwidth, 2)
    yield f"at n = {1.5 * 2 * ACCELERATED:.1f}, so from n = {crossover} on"
    fp32, tf32 = (H100.peak_flops[dtype] for dtype in ("fp32", "tf32"))
    yield f"from n = {roofline.crossover_size(fp32, H100.bandwidth, 4)}: slower"
    yield f"= {fp32 / H100.bandwidth:g}; with TF32 it is {tf32 / H100.bandwidth:.0f}"
    n = 8192
    yield f"arithmetic takes {ms(flops.matmul_flops(n, n, n) / PEAK, 2)}"
    for tile, digits, places in ((1, 1, 0), (128, 2, 2), (591, 2, 2)):
        read = 2 * 2 * n**3 / tile
        seconds = ms(read / H100.bandwidth, places)
        yield f"| {tile} | {tile / 2:g} | {power(read, digits)} | {seconds} |"
    yield f"moves {32 // 2} times its bytes"
    assert 590 / 2 < ACCELERATED <= 591 / 2
    yield f"take {4 * 591**2:,} B, more"
    assert 4 * 591**2 > 256 * 2**10
    elements = 16 * 8 * 1024**2
    yield f"= {elements:,} elements in bf16"
    fused = 2 * 2 * elements
    assert crossings(softmax) == 8
    assert crossings(gelu) == 5 * 2 + 4 * 3
    for name, function in (("softmax", softmax), ("GELU", gelu)):
        moved = 2 * elements * crossings(function)
        one, both = (ms(size / H100.bandwidth, 2) for size in (moved, fused))
        yield f"| {name} | {moved:,} B | {one} | {fused:,} B | {both} |"
    scores = 2 * n * n
    yield f"one head's scores take {scores:,} B"
    yield f"these are read again: {4 * scores:,} B"
    yield f"take {4 * 2 * n * 128:,} B together"
    yield from online_softmax()
    yield f"From {math.ceil(ACCELERATED)} queries on"


def online_softmax():
    """The rows of the table, where each result is the reference's."""
    tiles, m, s, o = [([1.0, 2.0], [10.0, 20.0]), ([4.0], [40.0])], -math.inf, 0.0, 0.0
    for i, (scores, values) in enumerate(tiles):
        before, m = m, max(m, *scores)
        weights = [math.exp(score - m) for score in scores]
        terms = [weight * value for weight, value in zip(weights, values, strict=True)]
        factor = math.exp(before - m)
        old = [f"{factor:.3f} · {s:.3f}", f"{factor:.3f} · {o:.2f}"]
        s, o = s * factor + sum(weights), o * factor + sum(terms)
        if i == 0:
            old = [f"{weights.pop(0):.3f}", f"{terms.pop(0):.2f}"]
        mean = roofline.attention_by_tiles(
            torch.ones(1, 1),
            ((torch.tensor(k)[:, None], torch.tensor(v)[:, None]) for k, v in tiles[: i + 1]),
        )
        assert math.isclose(mean.item(), o / s, rel_tol=1e-5)
        yield (
            f"| {', '.join(f'{score:g}' for score in scores)} | {m:g} "
            f"| {old[0]} + {weights[0]:g} = {s:.3f} | {old[1]} + {terms[0]:g} = {o:.2f} "
            f"| {mean.item():.2f} |"
        )


def _budget():
    yield f"= {640 / 12:.1f}e9"
    cost = budget.checkpointing_cost(100, range(0, 100, 10), True)
    assert cost["activations"] == 19
    again = cost["recomputed_layers"]
    yield f"takes {300 + again} instead of 300, {percent(again / 300)} longer"


def _inference():
    pool = 8 * H100.capacity
    models = {heads: flops.transformer_parameters(**llama_2(heads)) for heads in (64, 8, 1)}
    model, cache = models[8], inference.kv_cache_bytes(1, 4096, 80, 8, 128, BF16)
    weights = 2 * model["total"]
    yield f"counts {model['total']:,} parameters, {weights / 1e9:.2f} GB."
    fitting = {}
    for heads, name in (
        (64, " (multi-head)"),
        (8, " (grouped-query, as it is)"),
        (1, " (multi-query)"),
    ):
        token = inference.kv_cache_bytes(1, 1, 80, heads, 128, BF16)
        fitting[heads] = inference.largest_cached_batch(
            pool, 2 * models[heads]["total"], 4096, 80, heads, 128, BF16
        )
        long = f"{4096 * token / 1e9:.2f} GB"
        yield f"| {heads}{name} | {token:,} B | {long} | {fitting[heads]:,} |"
    left = (pool - weights) / cache
    yield f"({pool / 1e9:g} − {weights / 1e9:.3f}) / {cache / 1e9:.5f} = {left:.2f}."
    yield f"heads: {2 * models[64]['total'] / 1e9:.2f} GB with"
    yield f"64 of them, {2 * models[1]['total'] / 1e9:.2f} GB with one."
    matrices = model["total"] - model["embedding"] - model["norms"]
    prefill = inference.prefill_flops(**llama_2(8), prompt=4096)
    step = inference.decode_flops(**llama_2(8), context=4096)
    assert step["weights"] == 2 * matrices
    yield f"multiplied with: {matrices:,} here"
    for row, work in (
        ("prefill of 4096 tokens", prefill),
        ("one decode step, the 4096th token", step),
    ):
        yield f"| {row} | {' | '.join(power(part, 3) for part in work.values())} |"
    yield f"so far: {round(prefill['total'] / step['total']):,} times the FLOPs"
    assert prefill["weights"] < 2 * 4096 * matrices < 1.01 * prefill["weights"]
    ends = {"bytes_per_weight": 2, "bytes_per_cached": 2}
    prompt, token = (inference.step_intensity(1, n, 64, 8, **ends) for n in (4096, 1))
    yield f"against the {ACCELERATED:.1f} FLOP/B of an H100"
    yield f"$B n$: {prompt['weights']:g} for one prompt of 4096 |"
    yield f"$n \\cdot H/K$: {prompt['attention']:,.0f} |"
    yield f"$B$: {token['weights']:g} for one sequence | $H/K$: {token['attention']:g} |"
    yield f"{token['weights']:g} FLOP/B, {percent(1 / ACCELERATED, 2)} of an H100's peak"
    first = inference.compute_bound_batch(2, PEAK, H100.bandwidth)
    yield f"From {first} sequences on they"
    for batch in (1, 16, first, fitting[8]):
        found = decoded(batch)
        parts = " | ".join(ms(found[part], 2) for part in ("weights", "attention", "seconds"))
        speed = found["tokens_per_second"]
        yield f"| {batch} | {parts} | {speed:,.0f} | {speed / batch:.0f} |"
    assert decoded(16)["seconds"] < 1.15 * decoded(1)["seconds"]
    grouped, full = decoded(fitting[8]), decoded(fitting[64], key_heads=64)
    speed = full["tokens_per_second"]
    met = models[64]["total"] - models[64]["embedding"] - models[64]["norms"]
    yield f"With 64 key heads $P$ is {met:,}, and the"
    yield f"the {fitting[64]} sequences that fit would get {speed:,.0f} tokens/s, an eighth"
    assert round(grouped["tokens_per_second"] / speed) == 8
    yield f"{1e3 * full['attention']:.2f} of {ms(full['seconds'], 2)} go to the cache"
    waiting = prefill["total"] / (8 * PEAK)
    yield f"{power(prefill['total'], 3)} / (8 · 989.5e12) = {ms(waiting, 1)} before"
    assert round(waiting / decoded(1)["seconds"]) == 15
    yield "as long as 15 steps of decode"
    yield f"{roofline.matmul_intensity(256, 8192, 8192, 2):.0f} FLOP/B for 256 tokens, not 256"
    yield from attention_variants()


def _windowed(windows, d_model, heads, kv_heads, head_dim, context):
    return inference.windowed_attention(
        d_model=d_model,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        windows=windows,
        context=context,
    )


def attention_variants():
    narrow, wide = (_windowed([None], 5376, 32, 16, d, 4096) for d in (128, 5376 // 32))
    yield f"have {narrow['parameters']:,} parameters instead of {wide['parameters']:,}"
    (factor,) = {wide[name] / narrow[name] for name in narrow}
    yield f"the same factor, {factor}"
    for name, (windows, *sizes) in LOCAL_LAYERS.items():
        full = len([window for window in windows if window is None])
        caches = (_windowed(of, *sizes, 32768)["cached"] for of in ([None] * len(windows), windows))
        sizes_in_gb = " | ".join(f"{2 * cached / 1e9:.2f} GB" for cached in caches)
        yield f"| {name} | {len(windows) - full}; {full} | {windows[0]} | {sizes_in_gb} |"
    multi_head = _windowed([None], 7168, 128, 128, 128, 4096)
    latent = inference.latent_attention(**DEEPSEEK_V3, context=4096)
    parameters = f"{latent['parameters']:,}"
    yield f"| parameters | {multi_head['parameters']:,} | {parameters} | {parameters} |"
    kept = latent["cached"] // 4096
    yield f"| cached elements of a token | {multi_head['cached'] // 4096:,} | {kept} | {kept} |"
    ways = latent["expanded_flops"], latent["absorbed_flops"]
    flops_of = (power(count, 3) for count in (multi_head["flops"], *ways))
    yield f"| FLOPs of a decode step | {' | '.join(flops_of)} |"
    attention = (latent["absorbed_flops"] - 2 * latent["parameters"]) // 4096
    assert attention == 2 * 128 * 1088
    yield f"2 · 128 · 1088 FLOPs for {kept} · 2 B, or {attention / (2 * kept):.0f} FLOP/B"
    one = (multi_head["flops"] - 2 * multi_head["parameters"]) / (2 * multi_head["cached"])
    yield f"multi-head attention has {one:g}"


def _communication():
    factor = {
        n: communication.collective_bytes("all_gather", n, n, torch.int8) / n for n in (8, 1024)
    }
    yield f"{factor[8]:.3f} for 8 devices and {factor[1024]:.3f} for 1024"
    yield f"sends only {percent(factor[1024] / factor[8] - 1)} more"
    padded = communication.collective_bytes("all_gather", 10, 4, torch.int8)
    yield f"sends 3 · 3 = {padded} elements in an all-gather, not {10 * 3 / 4}"
    for stage in range(4):
        one, eight = (communication.zero_traffic(8, 8, stage, BF16, BF16, m) for m in (1, 8))
        shares = [sent["total"] // 7 for sent in (one, eight)]
        yield f"| ${shares[0]}fN$ B | ${shares[1]}fN$ B |"
    paper = [
        communication.zero_traffic(7_500_000_000, 64, stage, BF16, BF16, m)["total"] / 1e9
        for stage, m in ((0, 1), (3, 1), (2, 8), (3, 8))
    ]
    yield f"sends {paper[0]:.1f} GB in a step at stages 0 to 2, and {paper[1]:.1f} GB at stage 3"
    yield f"stage 2 sends {paper[2]:.1f} GB and stage 3 {paper[3]:.1f} GB"
    full = wire.zero_bytes_sent(REFERENCE, 3)
    for tokens in (256, 2048, 16_384):
        tensor = wire.tensor_bytes_sent(REFERENCE, tokens) / 1e9
        yield f"| {tokens:,} | {8 * tokens:,} | {full / 1e9:.1f} GB | {tensor:.1f} GB |"
    equal = full // wire.tensor_bytes_sent(REFERENCE, 1)
    assert (
        wire.tensor_bytes_sent(REFERENCE, equal)
        <= full
        < wire.tensor_bytes_sent(REFERENCE, equal + 1)
    )
    yield f"With up to {equal} tokens per device tensor parallelism sends less"
    for link, with_commas in ((450e9, ""), (8 * 400e9 / 8, ""), (400e9 / 8, ",")):
        few, many = (communication.hiding_tokens(1, sent, PEAK, link) for sent in (4, 6))
        numbers = f"{PEAK / link:{with_commas}.1f} | {few:{with_commas}} | {many:{with_commas}}"
        yield f"| {link / 1e9:.0f}e9 | {numbers} |"
    yield f"sends {full / 1e9:.0f} GB in {ms(full / 450e9, 1)}"
    for tokens in (1024, communication.hiding_tokens(wire.PARAMETERS, full, PEAK, 450e9), 4096):
        times = communication.step_seconds(tokens, wire.PARAMETERS, full, PEAK, 450e9)
        shown = [ms(times[name], 1) for name in ("compute", "overlapped", "sequential")]
        yield f"| {tokens} | {' | '.join(shown)} |"
    short = communication.step_seconds(1024, wire.PARAMETERS, full, PEAK, 450e9)
    assert 0.45 < 1 - short["compute"] / short["overlapped"] < 0.5  # "nearly half"
    compute = communication.step_seconds(1, wire.PARAMETERS, 0, PEAK, 450e9)["compute"]
    fast, slow = (
        wire.tensor_bytes_sent(REFERENCE, 1) / link / compute for link in wire.LINKS.values()
    )
    per_device = 4 * wire.LAYERS * wire.D_MODEL * 2 * PEAK / (3 * wire.PARAMETERS * 450e9)
    assert math.isclose(fast, (wire.DEVICES - 1) * per_device)
    hidden = math.floor(1 + 1 / per_device)
    yield f"NVLink that is {fast:.2f}, and less than 1 up to {hidden} devices"
    yield f"with one adapter it is {slow:.1f}."
    yield from meshes()


def meshes():
    model = wire.PARAMETERS, wire.LAYERS, wire.D_MODEL

    def times(tokens, data, tensor):
        sent = communication.mesh_traffic(64 * tokens, *model, data, tensor, BF16)
        return sent, communication.step_seconds(
            tokens, wire.PARAMETERS, sum(sent.values()), PEAK, 450e9
        )

    def hides(tokens, mesh):
        _, seconds = times(tokens, *mesh)
        return seconds["communication"] <= seconds["compute"]

    few = {}
    for mesh in ((64, 1), (16, 4), (8, 8), (4, 16)):
        sent, seconds = times(512, *mesh)
        few[mesh] = next((n for n in range(1, 5000) if hides(n, mesh)), "none")
        shown = " | ".join(f"{size / 1e9:.2f} GB" for size in sent.values())
        shown = f"{shown} | {ms(seconds['communication'], 1)} | {few[mesh]}"
        yield f"| {mesh[0]} × {mesh[1]} | {shown} |"
    assert few[4, 16] == "none"
    assert not hides(10**9, (4, 16))
    assert 0.3 < few[16, 4] / few[64, 1] < 0.35  # "a third"
    node, ring = (times(1, *mesh)[0]["data"] / 1e9 for mesh in ((8, 8), (64, 1)))
    yield f"8 × 8 sends {8 * node:.0f} GB out of a node, 64 × 1 sends {ring} GB"
    yield f"{64 * 512:,} in all, {ms(times(512, 8, 8)[1]['compute'], 1)} of compute"

    def degree(model, heads, link=450e9):
        return communication.largest_tensor_degree(*model, heads, BF16, PEAK, link)

    def by_time(model):  # so many heads that all devices share them
        return max(n for n in range(1, 65) if degree(model, n) == n)

    yield f"longer than compute beyond {by_time(model)} devices"
    yield f"of 32 heads {degree(model, 32)} devices are the most"
    yield f"with one adapter, {degree(model, 32, 50e9)}."
    large = 70 * 10**9, 80, 8192
    yield f"gets to {by_time(large)}, and to {degree(large, 64)} with its 64 heads"


def _initialization():
    assert round(1 / normal(4) / 2, -3) == 16_000
    yield "one value in 16,000"
    assert 128**2 * 4 > torch.finfo(FP16).max > 128**2
    assert 128.0**18 * 4 > torch.finfo(FP32).max > 128.0**18
    assert torch.finfo(FP32).max > 4 * 128.0**17
    assert f"{2.0**-10:.3f}" == "0.001"
    assert normal(6.2) < 1 / 2e9 < normal(6)
    yield f"one draw in {round(1 / (normal(4) - normal(5)), -2):,.0f} lies"
    for variance in (2 / 800, 6 / 800, 2 / 300):
        yield f"= {math.sqrt(variance):.3g}"
    density = math.exp(-4.5) / math.sqrt(2 * math.pi)
    shrunk = math.sqrt(1 - 6 * density / (1 - 2 * normal(3)))
    yield f"{0.02 * shrunk:.4f}: truncation at 3σ reduces it by {percent(1 - shrunk, 1)}"


def _seeding():
    assert 1 < 100_000**2 / 2**33 < 1.2
    assert 1.5e9 < 2**64 / 100_000**2 < 2.5e9
    pairs = (1024 * 16 * 100) ** 2
    yield f"2^{{33}} = {math.floor(pairs / 2**33)}$"
    yield f"{pairs / 2**64 * 1e7:.1f} \\cdot 10^{{-7}}"


def _data():
    yield f"{2.8e12 / 2 / 1e12:.1f}e12 tokens"
    yield f"{2.8e12 / 2 * 8 / 1e12:.1f}e12 |"
    yield f"= {32 * 1025 * 2:,} bytes"


def _optimizers():
    p, zeros = torch.ones(1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    for expected in ("0.95", "0.9086"):
        optimizers.adagrad_step([p], [0 * p + 0.5], [zeros], lr=0.1, eps=0.5)
        yield f"= {expected}"
        assert f"{p.item():.4g}" == expected
    yield f"= {1 - 0.05 / math.sqrt(0.75):.4f} after step 1"
    ours, lecture = 1e-4 + 1e-5, math.sqrt(1e-8 + 1e-5)
    yield f"{power(ours, 1)} and the lecture by {power(lecture, 2)}"
    yield f"{lecture / ours:.0f} times shorter"
    assert 198 < sum(1 / math.sqrt(t) for t in range(1, 10_001)) < 199
    yield f"{math.sqrt(1000):.0f} times too small"
    small = 0.1 / math.sqrt((0.2**2 + 0) / 2)
    yield f"√0.02 = {math.sqrt(0.02):.3f}"
    yield f"{small:.2f} lr, {small / (0.1 / 10):.0f} times as much"
    yield f"= {0.99 - 0.05 / math.sqrt(0.75):.3f}; added before"
    yield f"= {0.99 - 0.05 / 0.55 * 0.1:.3f}."
    for u in ([3.0, 4.0], [30.0, 0.3]):
        first, second = _orthogonalized([u])[0]
        yield f"diag({first:.3f}, {second:.3f})"
    sizes = (0.002 + 0.998 * i / 400 for i in range(401))
    ends = [o for pair in _orthogonalized([s, math.sqrt(1 - s * s)] for s in sizes) for o in pair]
    yield "from 0.002 to 1 to between 0.68 and 1.21"
    assert 0.68 < min(o for o in ends if o) < max(ends) < 1.21
    flops, pass_of_a_token = optimizers.muon_flops(4096, 4096), 6 * 4096**2
    yield f"{power(flops, 2)} FLOPs a step"
    adds = [percent(flops / (pass_of_a_token * 2**tokens), 1) for tokens in (20, 13)]
    yield f"tokens a step Muon adds {adds[0]}"
    yield f"tokens {adds[1].replace('.0', '')}"
    yield f"{4 * 16384**2 / 1e9:.2f} GB in fp32 and not {4 * 4096**2 / 1e6:.0f} MB"


def _orthogonalized(diagonals):
    """The diagonals of O for diagonal updates: of the first step of Muon from 0 with lr = 1."""
    grads = [torch.tensor(diagonal, dtype=torch.float64).diag() for diagonal in diagonals]
    params, buffers = ([torch.zeros_like(g) for g in grads] for _ in range(2))
    optimizers.muon_step(params, grads, buffers, lr=1.0, momentum=0.0, weight_decay=0.0)
    return [(-p.diag()).tolist() for p in params]


def _training():
    yield f"{16 * 1e9 / H100.bandwidth * 1e3:.1f} ms on an H100"


def _precision():
    yield f"2⁻²³ = {power(2**-23, 1)}"
    yield f"2⁻¹⁰ = {power(2**-10, 1)}"
    yield f"1 − 2⁻⁸ = {1 - 2**-8:.4f} and 1 + 2⁻⁷ = {1 + 2**-7:.4f}"
    largest = {"E4M3": floats.float_range(4, 3, "fn"), "E5M2": floats.float_range(5, 2)}
    weights, grads = largest["E4M3"]["max"] / 0.1, largest["E5M2"]["max"] / 1e-3
    yield f"448 / 0.1 = {weights:g}"
    plain = floats.round_to_format(0.0045, 4, 3, "fn")
    yield f"become {plain:.4f}: {percent(1 - plain / 0.0045)} off"
    stored = floats.round_to_format(0.0045 * weights, 4, 3, "fn")
    yield f"{0.0045 * weights:.2f}, which becomes {stored:g}"
    yield f"{stored:g} / 4480 = {stored / weights:.5f}"
    yield f"{percent(1 - stored / weights / 0.0045, 1)} off"
    assert floats.round_to_format(1e-6, 5, 2) == 0
    stored = floats.round_to_format(1e-6 * grads, 5, 2)
    error = percent(1 - stored / grads / 1e-6, 1)
    yield f"is {1e-6 * grads:.1f}, which becomes {stored:g}, and is {error} off"


def _checkpoint():
    yield f"takes {12 * 7e9 / 2e9:.0f} s"
    size = 12 * (1024 * 1024 + 1024)
    yield f"({size / 1e6:.1f} MB, {size / 2**20:.1f} MiB)"
    assert round((5056 + 2 * 624 * 4) / 1e3) == 10
    yield "about 10 kB"


def _recompute():
    held = sum(stop - start for start, stop in recompute.segment_bounds(9, 3)[:-1])
    yield f"{held} more run, and the step takes {percent(held / 27)} longer"
    assert 9 / 27 == 1 / 3
    yield "a third longer: 9 more layers run"
    ours, three = (
        budget.checkpointing_cost(10, [start for start, _ in recompute.segment_bounds(10, n)], True)
        for n in (recompute.best_segments(10), 3)
    )
    yield f"10 layers hold {ours['activations']} in our 2 segments, and {three['activations']} in 3"
    for what, shape, dtype, end in [
        ("all logits, and then their gradient", (8192, 128256), FP32, " each"),
        ("the logits of 512 tokens", (512, 128256), FP32, ""),
        ("the head's input, of width 4096 in bf16", (8192, 4096), BF16, ""),
    ]:
        yield f"| {what} | {dtypes.tensor_bytes(shape, dtype) / 1e9:.2f} GB{end} |"
    head = torch.tensor([[1.0], [1.0], [0.0]]), torch.tensor([[math.log(3)], [0.0]])
    of_rows, of_two, of_one = (
        float(recompute.chunked_cross_entropy(x, head[1], torch.zeros(len(x), dtype=int), 2)[0])
        for x in (head[0], head[0][:2], head[0][2:])
    )
    yield f"have the mean {of_rows:.3f}; in chunks of two"
    yield f"chunks' means is {(of_two + of_one) / 2:.3f}."
    assert floats.accumulate(1 / 400, 200, FP32, FP32) - 0.5 < 1e-6
    yield f"and in bf16 {floats.accumulate(1 / 400, 200, BF16, BF16):.3f}"


def _device():
    work = flops.matmul_flops(16384, 32768, 8192)
    yield f"its peak would need {ms(work / PEAK, 2)}"
    times = (0.020, 0.010, 0.0178)
    share = device.measured_mfu(work, times, PEAK)
    yield f"{power(work / 0.0178, 2)} FLOP/s, an MFU of {share:.4f}"
    mean = sum(times) / 3
    yield f"{ms(mean, 1)}, would give {work / mean / PEAK:.3f}"
    yield f"the fastest run {work / min(times) / PEAK:.3f}"
    yield f"at 3.35e12 B/s | {ms(4e9 / H100.bandwidth, 1)} |"
    yield f"at 64e9 B/s | {ms(4e9 / 64e9, 1)} |"


def _prediction():
    sizes = asdict(SMALL)
    V, T, L, D, H, F, B = (
        sizes[k] for k in ("vocab", "context", "layers", "d_model", "heads", "d_ff", "batch")
    )
    yield f"V = {V} tokens in the vocabulary, T = {T} tokens in each of B = {B} sequences, L = {L}"
    yield f"D = {D}, H = {H} heads and F = {F}, untied"
    found, counted = predicted(SMALL), count_step(SMALL)
    N, n, K = found["parameters"], B * T, L * B * T * (8 * D + 2 * F + H * T)
    yield f"| VD | {V * D:,} |"
    yield f"| TD | {T * D:,} |"
    yield f"| 4D² + 4D | {4 * D**2 + 4 * D:,} |"
    yield f"| 2DF + F + D | {2 * D * F + F + D:,} |"
    yield f"these are N = {N:,}"
    assert counted.parameters == N
    named = {"vocab": V, "layers": L, "d_model": D, "heads": H, "d_ff": F}
    other = flops.transformer_parameters(**named, gated=False)["total"]
    yield f"finds {percent(1 - other / N, 1)} less"
    assert counted.flops == found["flops"]
    yield f"The forward pass takes {found['flops'] // 3:,}"
    yield f"{found['flops']:,} FLOPs"
    yield f"12 B for each parameter, {12 * N / 1e6:.1f} MB"
    yield f"keep K = {K:,} elements, {4 * K / 1e6:.1f} MB"
    yield f"{percent(4 * n * L / K, 2)}. We leave them out"
    for size in peak_candidates(SMALL).values():
        yield f"| {size / 1e6:.1f} MB |"
    assert 4 * (3 * N + K + 2 * n * D + 3 * n * V) + T**2 == max(peak_candidates(SMALL).values())
    yield f"{found['peak_bytes']:,} B with the mask. Measured are {counted.peak_bytes:,} B"
    yield f"1024 tokens needs {predicted(GPT2)['peak_bytes'] / 1e9:.2f} GB"
    few = peak_candidates(replace(GPT2, batch=1, context=256))
    assert max(few, key=few.get) == "optimizer"
    yield f"one sequence needs {few['optimizer'] / 1e9:.2f} GB"
    products = predicted(GPT2)["flops"] / H100.peak_flops["fp32"]
    traffic = predicted(GPT2)["seconds"] - products
    yield f"takes {products:.3f} s for products and {traffic:.3f} s for traffic"
    yield from of_mistakes(found, V, T, L, D, H, F, n, K)


def of_mistakes(found, V, T, L, D, H, F, n, K):
    def off(what, change):
        share = f"{100 * abs(change / found[what]):.2g} %"
        name = {"peak_bytes": "peak", "flops": "FLOPs"}.get(what, what)
        return f"{name} {'−' if change < 0 else '+'}{share}"

    N, peak = found["parameters"], found["peak_bytes"]
    yield f"| positions have no parameters | {off('parameters', -T * D)} |"
    yield f"| linear layers have no biases | {off('parameters', -L * (5 * D + F))} |"
    yield f"| 6ND with all N | {off('flops', 6 * N * n - found['flops'])} |"
    yield f"| no scores and no weighted values | {off('flops', -12 * n * L * T * D)} |"
    yield f"| the lm_head is no layer | {off('flops', -6 * n * V * D)} |"
    yield f"| logits are there once | {off('peak_bytes', -8 * n * V)} |"
    yield f"| weights of attention are not kept | {off('peak_bytes', -4 * L * n * H * T)} |"
    yield f"| all gradients are there at the loss | {off('peak_bytes', 4 * N)} |"
    yield f"| GELU keeps nothing | {off('peak_bytes', -4 * L * n * F)} |"
    usual = 16 * N + 4 * K + 4 * n * V
    yield f"| 16 B for each parameter, K, and the logits | {off('peak_bytes', usual - peak)} |"
    assert abs(usual / peak - 1) < PART["peak_bytes"]


def _performance():
    work, fp32 = flops.matmul_flops(*[8192] * 3), H100.peak_flops["fp32"]
    yield f"{ms(work / PEAK, 1)} in bf16, and {ms(work / fp32, 1)} in fp32"
    converted = 8192**2 * 2 * (4 + 2)
    yield f"{converted:,} bytes, {ms(converted / H100.bandwidth, 2)} at"
    assert 1 + 2 + 2 + 1 == 6  # written; mask and softmax read and write; the product reads
    yield "cross the memory bus six times"
    yield f"{ms(28 * 600 * 8192 / H100.bandwidth, 3)} of memory traffic"
    yield f"{600 * 12:,} in all; at 5 µs that is {ms(7200 * 5e-6, 0)}"
    products, adamw, batches = (
        find(name).sizes_on("cuda", 80 * 10**9) for name in ("matmul_chain", "adamw", "batches")
    )
    yield f"there are {products['products']} products with {products['distinct']} different weights"
    yield f"there are {adamw['tensors']} tensors of 2²⁰ numbers"
    assert adamw["elements"] == 2**20
    yield f"Batches are {4 * batches['rows'] * batches['columns'] // 2**20} MiB each"
    bounds = Marks(FULL_AT * 16).bounds
    yield "up to {:.0f}, {:.0f} and {:.0f} ms".format(*(10 * b / FULL_AT for b in bounds[1:]))


TEXT = {"ledger": of_ledger} | {
    name[1:]: made
    for name, made in globals().items()
    if name[0] == "_" and isgeneratorfunction(made)
}
