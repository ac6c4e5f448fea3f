"""FLOPs, with the lecture's own numbers."""

from itertools import combinations, pairwise, product

import pytest

from assignment.expect import expect


def drawn_transformer(rng):
    """Random sizes of a transformer, small or far beyond 64 bits, and the width of its keys."""
    d_head, kv_heads, shared = (int(n) for n in rng.integers([3, 1, 2], [300, 5, 5]))
    heads = kv_heads * shared
    sizes = {"d_model": d_head * heads, "heads": heads, "kv_heads": kv_heads}
    for name in ("vocab", "layers", "d_ff"):
        sizes[name] = int(rng.integers(1, 2 ** int(rng.choice([4, 33]))))
    return sizes, d_head * kv_heads


@pytest.mark.exercise("matmul_flops")
def test_a_tiny_product(impl):
    """A row of 3 times a column of 3 takes 6 FLOPs, an int: 3 multiplications and 3 additions"""
    expect(impl.flops.matmul_flops(1, 3, 1)).equals(
        6, hint="by convention the first addition, to 0, also counts"
    )


@pytest.mark.exercise("matmul_flops")
def test_the_products_of_the_lecture(impl):
    """The lecture's two products take 33,554,432 FLOPs and 8.796e12"""
    expect(impl.flops.matmul_flops(1024, 256, 64)).equals(
        33_554_432, hint="(B×D)·(D×K) has B·K outputs, each with D multiplications and D additions"
    )
    expect(impl.flops.matmul_flops(16384, 32768, 8192)).equals(
        8_796_093_022_208, hint="2 FLOPs for each product of two numbers, as an exact int"
    )


@pytest.mark.exercise("matmul_flops")
def test_random_products(impl, rng):
    """Counts are exact ints however large; a size of 0 takes no FLOPs"""
    for _ in range(10):
        B, D, K = (int(n) for n in rng.integers(2**40, size=3))
        found = impl.flops.matmul_flops(B, D, K)
        expect(found, f"matmul_flops{(B, D, K)}").equals(B * (D + D) * K)
    for sizes in [(0, 2, 3), (2, 0, 3), (2, 3, 0)]:
        expect(impl.flops.matmul_flops(*sizes), f"matmul_flops{sizes}").equals(0)


@pytest.mark.exercise("matmul_flops")
def test_a_linear_layer_forward(impl):
    """The forward pass of a 256×64 layer on a batch of 1024 takes one matrix product"""
    expect(impl.flops.linear_forward_flops(1024, 256, 64)).equals(33_554_432)


@pytest.mark.exercise("matmul_flops")
def test_a_linear_layer_backward(impl):
    """The backward pass takes one product for the weight, and one more for the input"""
    expect(impl.flops.linear_backward_flops(1024, 256, 64, False)).equals(
        33_554_432, hint="the weight's gradient is (D×B)·(B×K)"
    )
    expect(impl.flops.linear_backward_flops(1024, 256, 64, True)).equals(
        67_108_864, hint="the input's gradient is (B×K)·(K×D)"
    )


@pytest.mark.exercise("matmul_flops")
def test_sizes_of_0(impl):
    """A size of 0 takes no FLOPs, forward and backward"""
    expect(impl.flops.linear_forward_flops(3, 5, 7)).equals(210)
    expect(impl.flops.linear_backward_flops(3, 5, 7, True)).equals(420)
    for sizes in [(0, 5, 7), (3, 0, 7), (3, 5, 0)]:
        expect(impl.flops.linear_forward_flops(*sizes), f"forward {sizes}").equals(0)
        expect(impl.flops.linear_backward_flops(*sizes, True), f"backward {sizes}").equals(0)


@pytest.mark.exercise("mlp_flops")
def test_the_lectures_two_layers_forward(impl):
    """The forward pass of the lecture's two layers takes 167,772,160 FLOPs"""
    expect(impl.flops.mlp_forward_flops(1024, (256, 256, 64))).equals(
        167_772_160, hint="2BDD for the first layer and 2BDK for the second"
    )


@pytest.mark.exercise("mlp_flops")
def test_the_lectures_two_layers_backward(impl):
    """Their backward pass takes 335,544,320 FLOPs, or 201,326,592 if x needs no gradient"""
    expect(impl.flops.mlp_backward_flops(1024, (256, 256, 64), True)).equals(335_544_320)
    expect(impl.flops.mlp_backward_flops(1024, (256, 256, 64), False)).equals(
        201_326_592, hint="only the first layer saves a product: 2BDD + 4BDK"
    )


@pytest.mark.exercise("mlp_flops")
def test_random_mlps(impl, rng):
    """Every layer counts, also one like another or without work, and only the first may save a
    product"""
    for i in range(16):
        widths = [int(n) for n in rng.choice([0, 1, 3, 8, 2**33], size=2 + i % 5)]
        batch = 0 if i == 4 else int(rng.integers(1, 9))
        forward = [2 * batch * a * b for a, b in pairwise(widths)]
        found = impl.flops.mlp_forward_flops(batch, widths)
        expect(found, f"mlp_forward_flops{(batch, widths)}").equals(sum(forward))
        for needed in (True, False):
            expected = 2 * sum(forward) - (0 if needed else forward[0])
            found = impl.flops.mlp_backward_flops(batch, widths, needed)
            what = f"mlp_backward_flops{(batch, widths, needed)}"
            expect(found, what).equals(expected, hint="False saves one product of the first layer")
    expect(impl.flops.mlp_forward_flops(2, (4, 4, 4, 4))).equals(192)


@pytest.mark.exercise("einsum_flops")
def test_the_einsum_of_the_lecture(impl):
    """The lecture's product as an einsum takes the same 33,554,432 FLOPs"""
    expect(impl.flops.einsum_flops("b d, d k -> b k", (1024, 256), (256, 64))).equals(
        33_554_432, hint="each combination of b, d and k takes a multiplication and an addition"
    )
    expect(impl.flops.einsum_flops("batch seq d,d k->batch seq k", (2, 3, 5), (5, 7))).equals(
        420, hint="axes are names, not letters; blanks around commas and the arrow are optional"
    )


@pytest.mark.exercise("einsum_flops")
def test_one_two_and_three_operands(impl):
    """One operand takes 1 FLOP per visit, a product of two takes 2, a product of three 3"""
    expect(impl.flops.einsum_flops("row col -> row", (4, 5))).equals(
        20, hint="one addition for each element"
    )
    expect(impl.flops.einsum_flops("i, j -> i j", (4,), (5,))).equals(
        40, hint="by convention an addition counts even if nothing is summed"
    )
    expect(impl.flops.einsum_flops("i, i, i ->", (7,), (7,), (7,))).equals(
        21, hint="two multiplications and one addition at each i"
    )


@pytest.mark.exercise("einsum_flops")
def test_random_einsums(impl, rng):
    """The FLOPs are operands times the sizes of all axes, each counted once; an axis may repeat"""
    names = ["b", "seq", "d_head", "größe", "x2", "_"]
    for i in range(16):
        sizes = {
            name: int(rng.choice([0, 1, 2, 3, 7])) if i % 4 == 3 else i % 3 + 2 for name in names
        }
        operands = [
            [names[int(n)] for n in rng.integers(6, size=int(rng.integers(0, 4)))]
            for _ in range(1 + i % 3)
        ]
        used = dict.fromkeys(axis for axes in operands for axis in axes)
        result = list(used)[: int(rng.integers(0, 4))]
        pattern = ", ".join(map(" ".join, operands)) + " -> " + " ".join(result)
        expected = len(operands)
        for axis in used:
            expected *= sizes[axis]
        shapes = [[sizes[axis] for axis in axes] for axes in operands]
        found = impl.flops.einsum_flops(pattern, *shapes)
        expect(found, f"einsum_flops({pattern!r}, …) of {shapes}").equals(expected)
    expect(impl.flops.einsum_flops(", i -> i", (), (5,)), "a scalar times a vector").equals(
        10, hint="an operand without axes is a scalar, and counts"
    )


@pytest.mark.exercise("matmul_flops")
def test_relu_is_small(impl):
    """ReLU on 1024×64 outputs takes 65,536 FLOPs, 512 times fewer than the matrix product"""
    expect(impl.flops.elementwise_flops((1024, 64))).equals(
        65_536, hint="one comparison for each element"
    )


@pytest.mark.exercise("matmul_flops")
def test_gelu_takes_twenty(impl):
    """GELU takes about 20 FLOPs per element; a scalar has one element"""
    expect(impl.flops.elementwise_flops((1024, 64), per_element=20)).equals(1_310_720)
    expect(impl.flops.elementwise_flops((), 20)).equals(20, hint="the empty product is 1")


@pytest.mark.exercise("matmul_flops")
def test_random_elementwise(impl, rng):
    """All elements of any shape count, exactly"""
    for i in range(12):
        shape = [int(n) for n in rng.choice([1, 3, 1023, 2**33], size=i % 4)]
        each = int(rng.integers(1, 30))
        shape += [0] if i % 5 == 4 else [2**33] * (i // 4)
        expected = each
        for size in shape:
            expected *= size
        found = impl.flops.elementwise_flops(shape, each)
        expect(found, f"elementwise_flops{(shape, each)}").equals(expected)


GPT2_XL = {"vocab": 50257, "layers": 48, "d_model": 1600, "heads": 25, "d_ff": 6400}


@pytest.mark.exercise("transformer_parameters")
def test_a_small_transformer(impl):
    """A transformer that is small enough to count its parameters by hand, also without layers"""
    small = {"vocab": 10, "d_model": 4, "heads": 2, "d_ff": 8}
    parts = {"embedding": 40, "attention": 64, "feed_forward": 96, "norms": 12, "lm_head": 40}
    expect(impl.flops.transformer_parameters(**small, layers=1)).equals(
        {**parts, "total": 252},
        hint="four 4×4 matrices, three 4×8 matrices (one is the gate), three norms of 4",
    )
    found = impl.flops.transformer_parameters(**small, layers=0)["total"]
    expect(found, "the total without layers").equals(84, hint="two matrices and the last norm")


@pytest.mark.exercise("transformer_parameters")
def test_gpt2_xl_with_swiglu(impl):
    """GPT-2 XL's shape with SwiGLU has 2,127,057,600 parameters, or 80,411,200 fewer if tied"""
    expect(impl.flops.transformer_parameters(**GPT2_XL)["total"], "the total").equals(2_127_057_600)
    tied = impl.flops.transformer_parameters(**GPT2_XL, tied=True)
    expect(tied["lm_head"], "the tied lm_head").equals(0, hint="it uses the embedding's matrix")
    expect(tied["total"], "the total, tied").equals(2_046_646_400)


@pytest.mark.exercise("transformer_parameters")
def test_grouped_queries(impl):
    """With 5 key heads for 25 query heads, attention has 6/10 of the parameters"""
    found = impl.flops.transformer_parameters(**GPT2_XL, kv_heads=5)
    expect(found["attention"], "the attention's").equals(
        294_912_000, hint="keys and values have 5 heads of width 64, so their matrices are 1600×320"
    )


@pytest.mark.exercise("transformer_parameters")
def test_random_transformers(impl, rng):
    """Every matrix counts with its own shape, gated or not, tied or not"""
    for i in range(10):
        sizes, d_kv = drawn_transformer(rng)
        layers, d, d_ff = sizes["layers"], sizes["d_model"], sizes["d_ff"]
        gated, tied = i % 2 == 0, i % 3 == 0
        parts = {
            "embedding": sizes["vocab"] * d,
            "attention": layers * (d * d + d * d_kv + d * d_kv + d * d),
            "feed_forward": layers * (d * d_ff + d_ff * d + (d * d_ff if gated else 0)),
            "norms": layers * (d + d) + d,
            "lm_head": 0 if tied else sizes["vocab"] * d,
        }
        found = impl.flops.transformer_parameters(**sizes, gated=gated, tied=tied)
        what = f"the parameters of {sizes}, gated={gated}, tied={tied}"
        expect(found, what).equals({**parts, "total": sum(parts.values())})


@pytest.mark.exercise("transformer_flops")
def test_gpt2_xl_forward(impl):
    """GPT-2 XL's shape with SwiGLU takes 4.513e12 FLOPs for 1024 tokens, most in feed-forwards"""
    found = impl.flops.transformer_forward_flops(**GPT2_XL, seq_len=1024)
    parts = {"qkv": 754_974_720_000, "scores": 161_061_273_600, "values": 161_061_273_600}
    parts |= {"output": 251_658_240_000, "feed_forward": 3_019_898_880_000}
    expect(found).equals({**parts, "lm_head": 164_682_137_600, "total": 4_513_336_524_800})


@pytest.mark.exercise("transformer_flops")
def test_longer_sequences(impl):
    """With 16 times as many tokens, scores take 256 times the FLOPs, all else 16 times"""
    long = impl.flops.transformer_forward_flops(**GPT2_XL, seq_len=16384)
    expect(long["scores"]).equals(
        256 * 161_061_273_600, hint="every token attends to every token of its sequence"
    )
    expect(long["feed_forward"]).equals(16 * 3_019_898_880_000)
    batch = impl.flops.transformer_forward_flops(**GPT2_XL, seq_len=1024, batch=16)
    expect(batch["scores"]).equals(
        16 * 161_061_273_600, hint="sequences of a batch do not attend to each other"
    )


@pytest.mark.exercise("transformer_flops")
def test_random_forward_passes(impl, rng):
    """Random models: each part is exact, with fewer key heads, with a gate, without tokens"""
    for i in range(10):
        sizes, d_kv = drawn_transformer(rng)
        layers, d, d_ff = sizes["layers"], sizes["d_model"], sizes["d_ff"]
        seq_len, batch = (int(n) for n in rng.integers(1, 2000, size=2))
        seq_len = 0 if i == 9 else seq_len
        per_token = {
            "qkv": layers * 2 * d * (d + d_kv + d_kv),
            "scores": layers * 2 * d * seq_len,
            "values": layers * 2 * d * seq_len,
            "output": layers * 2 * d * d,
            "feed_forward": layers * 2 * 2 * d * d_ff,
            "lm_head": 2 * d * sizes["vocab"],
        }
        for gated in (False, True):
            if gated:
                per_token["feed_forward"] += layers * 2 * d * d_ff
            parts = {part: each * seq_len * batch for part, each in per_token.items()}
            found = impl.flops.transformer_forward_flops(
                **sizes, seq_len=seq_len, batch=batch, gated=gated
            )
            what = f"the FLOPs of {sizes}, {batch} times {seq_len} tokens, gated={gated}"
            expect(found, what).equals({**parts, "total": sum(parts.values())})


@pytest.mark.exercise("training_flops")
def test_a_run_of_the_lecture(impl):
    """70B parameters on 15T tokens take 6.3e24 FLOPs, and any numbers an exact int"""
    expect(impl.flops.training_flops(70 * 10**9, 15 * 10**12)).equals(
        63 * 10**23, hint="an exact int: 2 forward and 4 backward for each parameter and token"
    )
    expect(impl.flops.training_flops(3, 2**70 + 1)).equals(18 * (2**70 + 1))


@pytest.mark.exercise("training_flops")
def test_days_of_the_lecture(impl):
    """That training run takes 143.93 days on 1024 H100 at an MFU of 0.5; no work takes none"""
    days = impl.flops.training_days(70 * 10**9, 15 * 10**12, 1024, 989.5e12, 0.5)
    expect(days).close(143.926593818, rtol=1e-9, hint="the devices do 4.377e22 FLOPs per day")
    expect(impl.flops.training_days(0, 5, 1, 1.0, 1.0)).close(0.0, rtol=0.0)


SMALL_MIXTURE = {"vocab": 10, "d_model": 4, "heads": 2, "d_expert": 3, "experts": 5}


@pytest.mark.exercise("expert_parameters")
def test_a_small_mixture_of_experts(impl):
    """With 2 of 5 experts a token, 3 experts of 36 parameters are not active; all else is"""
    found = impl.flops.moe_parameters(**SMALL_MIXTURE, layers=1, experts_per_token=2)
    expect(found).equals(
        {"total": 356, "active": 248, "training_flops_per_token": 1488},
        hint="embedding and lm_head 80, attention 64, norms 12, router 4·5, experts 3·4·3 each",
    )


@pytest.mark.exercise("expert_parameters")
def test_shared_experts_and_dense_layers(impl):
    """A shared expert is active for every token; a dense layer has a feed-forward, no router"""
    settings = {"experts_per_token": 2, "shared_experts": 1, "dense_layers": 1, "d_ff": 7}
    found = impl.flops.moe_parameters(**SMALL_MIXTURE, **settings, layers=3)
    expect(found).equals(
        {"total": 856, "active": 640, "training_flops_per_token": 3840},
        hint="one feed-forward of 3·4·7; two routers of 4·5; 2·6 experts, of which 2·3 are active",
    )


@pytest.mark.exercise("expert_parameters")
def test_published_mixtures(impl):
    """Mixtral 8x7B has 12.9e9 active parameters of 46.7e9, DeepSeekMoE 16B has 2.8e9 of 16.4e9"""
    mixtral = {"vocab": 32000, "layers": 32, "d_model": 4096, "heads": 32, "kv_heads": 8}
    mixtral |= {"d_expert": 14336, "experts": 8, "experts_per_token": 2}
    expect(impl.flops.moe_parameters(**mixtral), "Mixtral's").equals(
        {
            "total": 46_702_792_704,
            "active": 12_879_925_248,
            "training_flops_per_token": 77_279_551_488,
        }
    )
    deepseek = {"vocab": 102400, "layers": 28, "d_model": 2048, "heads": 16, "d_expert": 1408}
    deepseek |= {"experts": 64, "experts_per_token": 6, "shared_experts": 2}
    found = impl.flops.moe_parameters(**deepseek, dense_layers=1, d_ff=10944)
    expect(found, "DeepSeekMoE's").equals(
        {
            "total": 16_375_728_128,
            "active": 2_828_650_496,
            "training_flops_per_token": 16_971_902_976,
        }
    )


@pytest.mark.exercise("expert_parameters")
def test_random_mixtures(impl, rng):
    """Every matrix counts with its own shape, with fewer key heads or a tied lm_head too"""
    for i in range(10):
        sizes, d_kv = drawn_transformer(rng)
        vocab, d, d_ff = sizes["vocab"], sizes["d_model"], sizes["d_ff"]
        d_expert, experts = (int(n) for n in rng.integers(2, 2 ** int(rng.choice([4, 33])), size=2))
        settings = {"d_expert": d_expert, "experts": experts}
        settings["experts_per_token"] = used = int(rng.integers(1, experts + 1))
        settings["shared_experts"] = shared = int(rng.integers(3))
        settings["dense_layers"] = dense = min(i % 3, sizes["layers"])
        settings["tied"] = i % 2 == 0
        mixed = sizes["layers"] - dense
        count = vocab * d * (1 if settings["tied"] else 2) + d
        count += sizes["layers"] * (d + d * d + d * d_kv + d * d_kv + d * d + d)
        count += dense * (d * d_ff + d * d_ff + d_ff * d) + mixed * d * experts
        total, active = count, count
        total += mixed * (experts + shared) * (d * d_expert + d * d_expert + d_expert * d)
        active += mixed * (used + shared) * (d * d_expert + d * d_expert + d_expert * d)
        found = impl.flops.moe_parameters(**sizes, **settings)
        expect(found, f"the parameters of {sizes | settings}").equals(
            {"total": total, "active": active, "training_flops_per_token": 6 * active}
        )


@pytest.mark.exercise("expert_parameters")
def test_experts_of_few_tokens(impl):
    """With 2 of 8 experts a token, one token is sent through 2, two through 3.5 on average"""
    expect(impl.flops.distinct_experts(8, 2, 1)).close(2.0, rtol=1e-9)
    expect(impl.flops.distinct_experts(8, 2, 2)).close(
        3.5,
        rtol=1e-9,
        hint="the second token's 2 experts are each among the first's 1/4 of the time",
    )
    expect(impl.flops.distinct_experts(8, 2, 0), "without tokens").close(0.0, rtol=0.0, atol=1e-9)
    expect(impl.flops.distinct_experts(8, 8, 3), "if each token takes all").close(8.0, rtol=1e-9)


@pytest.mark.exercise("expert_parameters")
def test_experts_of_every_choice(impl, rng):
    """The result is the mean over all sets of experts that the tokens may choose"""
    for _ in range(8):
        experts, tokens = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        each = int(rng.integers(1, experts + 1))
        every = list(product(combinations(range(experts), each), repeat=tokens))
        mean = sum(len(set().union(*chosen)) for chosen in every) / len(every)
        found = impl.flops.distinct_experts(experts, each, tokens)
        what = f"distinct_experts{(experts, each, tokens)}"
        expect(found, what).close(mean, rtol=1e-9)


@pytest.mark.exercise("mfu")
def test_mfu_of_a_product(impl):
    """An H100 that takes 20 ms for 8.796e12 FLOPs in bfloat16 has an MFU of 0.444"""
    expect(impl.flops.mfu(8_796_093_022_208, 0.020, 989.5e12)).close(
        0.44447160, rtol=1e-6, hint="at its peak of 989.5e12 FLOP/s it would take 8.9 ms"
    )


@pytest.mark.exercise("mfu")
def test_mfu_of_many_devices(impl):
    """Eight devices have eight times the peak"""
    expect(impl.flops.mfu(4e12, 1.0, 1e12, devices=8)).close(0.5, rtol=1e-12)


@pytest.mark.exercise("mfu")
def test_random_utilizations(impl, rng):
    """The speed over the promised one, in float64; above 1 too, which shows a wrong count"""
    for i in range(8):
        flops, seconds, peak = (float(n) for n in rng.uniform(0.5, 9, size=3))
        flops, devices = flops * 4.0**i, int(rng.integers(1, 4))
        found = impl.flops.mfu(flops, seconds, peak, devices)
        what = f"mfu{(flops, seconds, peak, devices)}"
        expect(found, what).close(flops / seconds / devices / peak, rtol=1e-12)
