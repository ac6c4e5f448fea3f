"""FLOPs, with the lecture's own numbers."""

import pytest

from assignment.expect import expect


@pytest.mark.exercise("matmul_flops")
def test_a_tiny_product(impl):
    """A row of 3 times a column of 3 takes 6 FLOPs: 3 multiplications and 3 additions"""
    expect(impl.flops.matmul_flops(1, 3, 1)).equals(
        6, hint="by convention the first addition, to 0, counts too"
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
    """A layer of 256×64 on a batch of 1024 takes one matrix product forward"""
    expect(impl.flops.linear_forward_flops(1024, 256, 64)).equals(33_554_432)


@pytest.mark.exercise("linear_flops")
def test_a_linear_layer_backward(impl):
    """Backward takes as much again for the weight, and as much again for the input"""
    expect(impl.flops.linear_backward_flops(1024, 256, 64, False)).equals(
        33_554_432, hint="the weight's gradient is (D×B)·(B×K)"
    )
    expect(impl.flops.linear_backward_flops(1024, 256, 64, True)).equals(
        67_108_864, hint="the input's gradient is (B×K)·(K×D)"
    )


@pytest.mark.exercise("mlp_flops")
def test_the_lectures_two_layers_forward(impl):
    """The lecture's two layers take 167,772,160 FLOPs forward"""
    expect(impl.flops.mlp_forward_flops(1024, (256, 256, 64))).equals(
        167_772_160, hint="2BDD for the first layer and 2BDK for the second"
    )


@pytest.mark.exercise("mlp_flops")
def test_the_lectures_two_layers_backward(impl):
    """Backward they take 335,544,320 FLOPs, or 201,326,592 if the input needs no gradient"""
    expect(impl.flops.mlp_backward_flops(1024, (256, 256, 64), True)).equals(335_544_320)
    expect(impl.flops.mlp_backward_flops(1024, (256, 256, 64), False)).equals(
        201_326_592, hint="only the first layer saves a product: 2BDD + 4BDK"
    )


@pytest.mark.exercise("mlp_flops")
def test_refuses_an_mlp_without_layers(impl):
    """One width makes no layer and is refused"""
    expect(impl.flops.mlp_forward_flops(1, (2, 3))).equals(12)
    with pytest.raises(ValueError):
        impl.flops.mlp_forward_flops(1, (2,))
    expect(impl.flops.mlp_backward_flops(1, (2, 3), True)).equals(24)
    with pytest.raises(ValueError):
        impl.flops.mlp_backward_flops(1, (2,), True)
