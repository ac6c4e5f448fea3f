"""Rooflines, with the lecture's own numbers."""

import pytest

from assignment import hardware
from assignment.expect import expect

H100 = {"peak_flops": 989.5e12, "bandwidth": 3.35e12}  # dense bfloat16


@pytest.mark.exercise("operation_intensity")
def test_functions_of_an_element(impl):
    """In bfloat16, ReLU does 0.25 FLOP/B, and GELU, with 20 FLOPs per element, does 5"""
    expect(impl.roofline.relu_intensity(1024 * 1024, 2)).close(
        0.25, rtol=1e-12, hint="1 FLOP; 2 bytes read, 2 bytes written"
    )
    expect(impl.roofline.gelu_intensity(1024 * 1024, 2)).close(5.0, rtol=1e-12)


@pytest.mark.exercise("operation_intensity")
def test_products_with_a_vector(impl):
    """A dot product has about 0.5 FLOP/B, a 1024×1024 matrix times a vector 0.9976"""
    expect(impl.roofline.dot_intensity(1024 * 1024, 2)).close(
        0.49999952316,
        rtol=1e-9,
        hint="n multiplications and n - 1 additions; the result is moved too",
    )
    expect(impl.roofline.matvec_intensity(1024, 1024, 2)).close(
        0.99756335283,
        rtol=1e-9,
        hint="m dot products; the matrix, the vector and the result are moved",
    )


@pytest.mark.exercise("operation_intensity")
def test_products_of_matrices(impl):
    """n×n products in bfloat16 do n/3 FLOP/B, in float32 half as much; thin matrices do less"""
    expect(impl.roofline.matmul_intensity(1024, 1024, 1024, 2)).close(
        1024 / 3, rtol=1e-12, hint="2mkn FLOPs; three matrices are moved"
    )
    expect(impl.roofline.matmul_intensity(1024, 1024, 1024, 4)).close(1024 / 6, rtol=1e-12)
    expect(impl.roofline.matmul_intensity(8, 1024, 1024, 2)).close(7.8769230769, rtol=1e-9)
    with pytest.raises(ValueError):
        impl.roofline.matmul_intensity(8, 0, 1024, 2)


@pytest.mark.exercise("attainable")
def test_intensity_of_an_h100(impl):
    """An H100 does 295.4 FLOPs in bfloat16 in the time that it needs to move a byte"""
    expect(impl.roofline.accelerator_intensity(**H100)).close(295.37313433, rtol=1e-9)


@pytest.mark.exercise("attainable")
def test_relu_and_a_product_on_an_h100(impl):
    """On an H100, ReLU attains 0.84e12 FLOP/s, bound by memory; a large product the peak"""
    expect(impl.roofline.attainable_flops(0.25, **H100)).close(
        0.8375e12, rtol=1e-12, hint="3.35e12 bytes per second, times 0.25 FLOP per byte"
    )
    expect(impl.roofline.bound(0.25, **H100)).equals("memory")
    expect(impl.roofline.attainable_flops(1024 / 3, **H100)).close(989.5e12, rtol=1e-12)
    expect(impl.roofline.bound(1024 / 3, **H100)).equals("compute")
    expect(impl.roofline.bound(4.0, 8.0, 2.0)).equals("compute", hint="here both limits are equal")


@pytest.mark.exercise("attainable")
def test_a_product_and_then_relu(impl):
    """A 1024×1024 product takes at least 2.17 µs, and ReLU on its result adds half as much"""
    product, relu = (2**31, 6 * 2**20), (2**20, 4 * 2**20)
    expect(impl.roofline.least_time([product], **H100)).close(2.170271e-6, rtol=1e-6)
    expect(impl.roofline.least_time([product, relu], **H100)).close(
        3.422303e-6, rtol=1e-6, hint="the first is bound by compute, the second by memory"
    )
    with pytest.raises(ValueError):
        impl.roofline.least_time([(-1, 1)], **H100)


@pytest.mark.exercise("crossover")
def test_crossover_of_an_h100(impl):
    """Products of n×n matrices in bfloat16 are bound by compute on an H100 from n = 887"""
    expect(impl.roofline.crossover_size(**H100, bytes_per_element=2)).equals(
        887, hint="n/3 = 295.37 gives n = 886.1"
    )


@pytest.mark.exercise("crossover")
def test_crossover_at_a_whole_number(impl):
    """If the crossover is a whole number, that number is the answer"""
    expect(impl.roofline.crossover_size(400.0, 1.0, 1.0)).equals(600)
    expect(impl.roofline.crossover_size(928, 27, 0.5625)).equals(
        29, hint="an error in a float's last bit can make ceil one too large; fractions are exact"
    )
    with pytest.raises(ValueError):
        impl.roofline.crossover_size(1.0, 0.0, 2)


@pytest.mark.exercise("find_accelerator")
def test_devices_and_their_entries(impl):
    """Names that drivers report match entries of the table in hardware.toml"""
    table = hardware.load().plain()
    for device, key in {
        "NVIDIA H100 80GB HBM3": "H100 SXM",
        "NVIDIA H100 PCIe": "H100 PCIe",
        "NVIDIA A100-SXM4-80GB": "A100 SXM 80GB",
        "NVIDIA H200": "H200 SXM",
        "NVIDIA GB200": "GB200",
        "Tesla T4": "T4",
    }.items():
        expect(impl.roofline.find_accelerator(device, table), f"the entry of {device}").equals(
            key, hint="all words of one of the entry's names must be words of the device's name"
        )


@pytest.mark.exercise("find_accelerator")
def test_the_entry_that_says_most(impl):
    """An H200 NVL is not an H200, an L40S is not an L4, and an unknown device is refused"""
    table = {"large": {"names": ["H200"]}, "card": {"names": ["H200 NVL"]}, "l4": {"names": ["L4"]}}
    find = impl.roofline.find_accelerator
    expect(find("NVIDIA H200", table)).equals("large")
    expect(find("NVIDIA H200 NVL", table)).equals("card", hint="two words match, not one")
    expect(find("nvidia l4", table)).equals("l4")
    for unknown in ["NVIDIA L40S", "NVIDIA GH200 480GB", "cpu"]:
        with pytest.raises(LookupError):
            find(unknown, table)
