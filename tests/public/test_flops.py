"""FLOPs, with the lecture's own numbers."""

import pytest

from assignment.expect import expect


@pytest.mark.exercise("matmul_flops")
def test_a_tiny_product(impl):
    """A row of 3 times a column of 3 takes 6 FLOPs: 3 multiplications and 3 additions"""
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
        8_796_093_022_208, hint="an exact int, not a float"
    )


@pytest.mark.exercise("matmul_flops")
def test_refuses_a_negative_size_of_a_product(impl):
    """A negative size is refused; a size of 0 takes no FLOPs"""
    expect(impl.flops.matmul_flops(2, 0, 3)).equals(0)
    expect(impl.flops.matmul_flops(2, 1, 3)).equals(12)
    with pytest.raises(ValueError):
        impl.flops.matmul_flops(2, -1, 3)


@pytest.mark.exercise("linear_flops")
def test_a_linear_layer_forward(impl):
    """The forward pass of a 256×64 layer on a batch of 1024 takes one matrix product"""
    expect(impl.flops.linear_forward_flops(1024, 256, 64)).equals(33_554_432)


@pytest.mark.exercise("linear_flops")
def test_a_linear_layer_backward(impl):
    """The backward pass takes one product for the weight, and one more for the input"""
    expect(impl.flops.linear_backward_flops(1024, 256, 64, False)).equals(
        33_554_432, hint="the weight's gradient is (D×B)·(B×K)"
    )
    expect(impl.flops.linear_backward_flops(1024, 256, 64, True)).equals(
        67_108_864, hint="the input's gradient is (B×K)·(K×D)"
    )


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
def test_refuses_an_mlp_without_layers(impl):
    """A single width, which defines no layer, is refused"""
    expect(impl.flops.mlp_forward_flops(1, (2, 3))).equals(12)
    with pytest.raises(ValueError):
        impl.flops.mlp_forward_flops(1, (2,))
    expect(impl.flops.mlp_backward_flops(1, (2, 3), True)).equals(24)
    with pytest.raises(ValueError):
        impl.flops.mlp_backward_flops(1, (2,), True)


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
def test_refuses_a_pattern_and_shapes_that_disagree(impl):
    """An axis with two sizes is refused, and so is a result axis that no operand has"""
    expect(impl.flops.einsum_flops("a b, b c -> a c", (2, 3), (3, 4))).equals(48)
    with pytest.raises(ValueError):
        impl.flops.einsum_flops("a b, b c -> a c", (2, 3), (5, 4))
    with pytest.raises(ValueError):
        impl.flops.einsum_flops("a b, b c -> a d", (2, 3), (3, 4))


@pytest.mark.exercise("elementwise_flops")
def test_relu_is_small(impl):
    """ReLU on 1024×64 outputs takes 65,536 FLOPs, 512 times fewer than the matrix product"""
    expect(impl.flops.elementwise_flops((1024, 64))).equals(
        65_536, hint="one comparison for each element"
    )


@pytest.mark.exercise("elementwise_flops")
def test_gelu_takes_twenty(impl):
    """GELU takes about 20 FLOPs per element; a scalar has one element"""
    expect(impl.flops.elementwise_flops((1024, 64), per_element=20)).equals(1_310_720)
    expect(impl.flops.elementwise_flops((), 20)).equals(20, hint="the empty product is 1")


GPT2_XL = {"vocab": 50257, "layers": 48, "d_model": 1600, "heads": 25, "d_ff": 6400}


@pytest.mark.exercise("transformer_parameters")
def test_a_small_transformer(impl):
    """The parameters of a transformer that is small enough to count by hand"""
    found = impl.flops.transformer_parameters(vocab=10, layers=1, d_model=4, heads=2, d_ff=8)
    expect(found).equals(
        {
            "embedding": 40,
            "attention": 64,
            "feed_forward": 96,
            "norms": 12,
            "lm_head": 40,
            "total": 252,
        },
        hint="four 4×4 matrices, three 4×8 matrices (one is the gate), three norms of 4",
    )


@pytest.mark.exercise("transformer_parameters")
def test_gpt2_xl_with_swiglu(impl):
    """GPT-2 XL's shape with SwiGLU has 2,127,057,600 parameters, or 80,411,200 fewer if tied"""
    expect(impl.flops.transformer_parameters(**GPT2_XL)["total"]).equals(2_127_057_600)
    tied = impl.flops.transformer_parameters(**GPT2_XL, tied=True)
    expect(tied["lm_head"]).equals(0, hint="it uses the embedding's matrix")
    expect(tied["total"]).equals(2_046_646_400)


@pytest.mark.exercise("transformer_parameters")
def test_grouped_queries(impl):
    """With 5 key heads for 25 query heads, attention has 6/10 of the parameters"""
    found = impl.flops.transformer_parameters(**GPT2_XL, kv_heads=5)
    expect(found["attention"]).equals(
        294_912_000, hint="keys and values have 5 heads of width 64, so their matrices are 1600×320"
    )
    with pytest.raises(ValueError):
        impl.flops.transformer_parameters(**GPT2_XL, kv_heads=4)


@pytest.mark.exercise("transformer_flops")
def test_gpt2_xl_forward(impl):
    """GPT-2 XL's shape with SwiGLU takes 4.513e12 FLOPs for 1024 tokens, most in feed-forwards"""
    found = impl.flops.transformer_forward_flops(**GPT2_XL, seq_len=1024)
    expect(found).equals(
        {
            "qkv": 754_974_720_000,
            "scores": 161_061_273_600,
            "values": 161_061_273_600,
            "output": 251_658_240_000,
            "feed_forward": 3_019_898_880_000,
            "lm_head": 164_682_137_600,
            "total": 4_513_336_524_800,
        }
    )


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


@pytest.mark.exercise("training_flops")
def test_a_run_of_the_lecture(impl):
    """70B parameters on 15T tokens take 6.3e24 FLOPs"""
    expect(impl.flops.training_flops(70 * 10**9, 15 * 10**12)).equals(
        63 * 10**23, hint="an exact int: 2 forward and 4 backward for each parameter and token"
    )


@pytest.mark.exercise("training_flops")
def test_days_of_the_lecture(impl):
    """That training run takes 143.93 days on 1024 H100 at an MFU of 0.5"""
    days = impl.flops.training_days(70 * 10**9, 15 * 10**12, 1024, 989.5e12, 0.5)
    expect(days).close(143.926593818, rtol=1e-9, hint="the devices do 4.377e22 FLOPs per day")


@pytest.mark.exercise("training_flops")
def test_refuses_a_utilization_in_percent(impl):
    """An MFU above 1 is refused, and so are 0 devices"""
    expect(impl.flops.training_days(14400, 1000, 1, 1000.0, 1.0)).close(1.0, rtol=1e-12)
    with pytest.raises(ValueError):
        impl.flops.training_days(14400, 1000, 1, 1000.0, 50)
    with pytest.raises(ValueError):
        impl.flops.training_days(14400, 1000, 0, 1000.0, 0.5)


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
    with pytest.raises(ValueError):
        impl.flops.mfu(4e12, 0.0, 1e12)
