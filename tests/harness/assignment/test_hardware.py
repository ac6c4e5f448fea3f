"""The table of accelerators: its figures, and the errors for invalid tables."""

import pytest

from assignment import hardware
from assignment.expect import expect

ENTRY = """
[accelerator."X1"]
names = ["X1 80GB", "X1 SXM"]
peak_flops = { fp32 = 1e12, bf16 = 2e12 }
bandwidth = 3e12
capacity = 80_000_000_000
"""
OTHER = ENTRY.replace("X1", "Y2")

# Dense TFLOP/s fp32 and bf16 (None: it has none), TB/s, GB.
KNOWN = {
    "A100 SXM 80GB": (19.5, 312, 2.04, 80),
    "H100 SXM": (67, 989.5, 3.35, 80),
    "H200 SXM": (67, 989.5, 4.8, 141),
    "A30": (10.3, 165, 0.933, 24),
    "A40": (37.4, 149.7, 0.696, 48),
    "MI300X": (163.4, 1307.4, 5.3, 192),
    "B200": (75, 2250, 8, 180),
    "L4": (30.3, 121, 0.30, 24),
    "T4": (8.1, None, 0.32, 16),
}


def test_local_table_adds_and_replaces(tmp_path, monkeypatch):
    own = ENTRY.replace("3e12", "4e12") + OTHER.replace("Y2", "Z3")
    table = hardware.parse(ENTRY + OTHER, local=own)
    assert list(table.accelerator) == ["X1", "Y2", "Z3"]
    assert table["X1"].bandwidth == 4e12
    for wrong in ("accelerator = 3", "[accelerators.X1]", "[accelerator.X1]", "not = [toml"):
        with pytest.raises(hardware.HardwareError, match="both tables"):
            hardware.parse(ENTRY, "both tables", wrong)
        with pytest.raises(hardware.HardwareError, match="both tables"):
            hardware.parse(wrong, "both tables", ENTRY)
    monkeypatch.setattr(hardware, "LOCAL", tmp_path / "hardware.local.toml")
    assert "Y2" not in hardware.load.__wrapped__().accelerator
    (tmp_path / "hardware.local.toml").write_text(OTHER)
    assert "Y2" in hardware.load.__wrapped__().accelerator


def test_table_has_the_figures_of_the_text():
    table = hardware.load()
    for key, (fp32, bf16, bandwidth, capacity) in KNOWN.items():
        entry = table[key]
        expect(entry.peak("fp32"), key).close(fp32 * 1e12, rtol=1e-12)
        assert ("bf16" in entry.peak_flops) == (bf16 is not None), key
        if bf16 is not None:
            expect(entry.peak("bf16"), key).close(bf16 * 1e12, rtol=1e-12)
        expect(entry.bandwidth, key).close(bandwidth * 1e12, rtol=1e-12)
        assert entry.capacity == capacity * 10**9, key
    assert table["H100 SXM"].peak("tf32") == 495e12
    assert table["H100 SXM"].peak("fp8") == 1979e12


def test_every_peak_is_for_dense_matrices():
    """Half the width of a dtype at most doubles the peak; a sparse figure would exceed that."""
    for key in hardware.load().accelerator:
        peaks = hardware.load()[key].peak_flops
        assert peaks.get("bf16", peaks["fp16"]) == peaks["fp16"], key
        for narrow, wide in (("fp16", "tf32"), ("fp8", "fp16"), ("fp4", "fp8")):
            if narrow in peaks and wide in peaks:
                assert 1.95 <= peaks[narrow] / peaks[wide] <= 2.06, (key, narrow)


def test_table_names_the_sources_of_its_figures():
    """A comment above each entry, or above a group of entries, names the vendor's document."""
    entries = hardware.HARDWARE.read_text(encoding="utf-8").split("\n[accelerator")
    assert len(entries) == len(hardware.load().accelerator) + 1
    assert "\n# NVIDIA" in entries[0]
    lines = [line for entry in entries for line in entry.splitlines()]
    comments = [line for line in lines if line.startswith(("# NVIDIA", "# AMD"))]
    for comment in comments:
        assert any(word in comment for word in ("datasheet", "HGX", "NVL72")), comment


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('names = ["X1 80GB", "X1 SXM"]', "names = []", ["'X1'", "names"]),
        ('"X1 SXM"', '" - "', ["'X1'", "' - '", "word"]),
        ('names = ["X1 80GB", "X1 SXM"]', "", ["names"]),
        ("{ fp32 = 1e12, bf16 = 2e12 }", "{}", ["'X1'", "peak_flops"]),
        ("fp32", "float32", ["float32"]),
        ("1e12", "0.0", ["'X1'", "peak_flops.fp32", "0.0"]),
        ("1e12", "-1e12", ["'X1'", "peak_flops.fp32"]),
        ("1e12", "inf", ["'X1'", "peak_flops.fp32", "inf"]),
        ("3e12", "nan", ["'X1'", "bandwidth", "nan"]),
        ("3e12", "0", ["'X1'", "bandwidth"]),
        ("80_000_000_000", "0", ["'X1'", "capacity"]),
        ("80_000_000_000", '"80 GB"', ["int"]),
        ("capacity", "memory", ["memory"]),
        ("bandwidth = 3e12", "bandwidth = ", ["line 5"]),
    ],
)
def test_error_names_what_is_wrong(old, new, said):
    assert old in ENTRY
    with pytest.raises(hardware.HardwareError) as error:
        hardware.parse(ENTRY.replace(old, new), "there.toml")
    for words in ["there.toml", *said]:
        assert words in str(error.value)


def test_refuses_a_name_of_another_entry():
    both = ENTRY + OTHER.replace("Y2 SXM", "x1 sxm")
    with pytest.raises(hardware.HardwareError, match="name 'x1 sxm', and so does 'X1'"):
        hardware.parse(both)
    hardware.parse(ENTRY.replace("X1 SXM", "X1 80GB"))  # twice in one entry is allowed


def test_unknown_keys_and_dtypes_are_refused_with_the_known_ones():
    table = hardware.parse(ENTRY + OTHER)
    with pytest.raises(hardware.HardwareError, match=r"'Z3'.*X1, Y2"):
        table["Z3"]
    with pytest.raises(hardware.HardwareError, match=r"X1 80GB.*'fp8'.*fp32, bf16"):
        table["X1"].peak("fp8")


# What drivers report, and the keys of the table.
REPORTED = {
    "Tesla T4": "T4",
    "Tesla V100-SXM2-16GB": "V100 SXM2 16GB",
    "Tesla V100-SXM2-32GB": "V100 SXM2 32GB",
    "Tesla V100-PCIE-32GB": "V100 PCIe 32GB",
    "NVIDIA A10": "A10",
    "NVIDIA A10G": "A10G",
    "A100-SXM4-40GB": "A100 40GB",
    "NVIDIA A100-PCIE-40GB": "A100 40GB",
    "NVIDIA A100-SXM4-80GB": "A100 SXM 80GB",
    "NVIDIA A100 80GB PCIe": "A100 PCIe 80GB",
    "NVIDIA L4": "L4",
    "NVIDIA L40": "L40",
    "NVIDIA L40S": "L40S",
    "NVIDIA H100 80GB HBM3": "H100 SXM",
    "NVIDIA H100 PCIe": "H100 PCIe",
    "NVIDIA H100 NVL": "H100 NVL",
    "NVIDIA H200": "H200 SXM",
    "NVIDIA H200 NVL": "H200 NVL",
    "NVIDIA B200": "B200",
    "NVIDIA GB200": "GB200",
}
NOT_IN_THE_TABLE = [
    *("NVIDIA H20", "NVIDIA H800", "NVIDIA H100", "NVIDIA A100", "NVIDIA B300", "NVIDIA GB300"),
    *("NVIDIA GH200 480GB", "NVIDIA GeForce RTX 4090", "NVIDIA RTX A6000", "NVIDIA A16", "NVIDIA"),
    *("NVIDIA L400", "Tesla P100-SXM2-16GB", "AMD Instinct MI250X", "cpu", "T", "100", "GB", ""),
]


def test_devices_are_found_by_what_their_drivers_report():
    """By whole words in any order; the name with the most words decides"""
    table = hardware.load()
    found = {name: table.reported(name) for name in REPORTED}
    assert found == {name: table[key] for name, key in REPORTED.items()}
    for name in NOT_IN_THE_TABLE:
        with pytest.raises(hardware.HardwareError, match=f"^'{name}' is not in the table"):
            table.reported(name)
    pair = hardware.parse(ENTRY + OTHER.replace('"Y2 80GB"', '"SXM X1"'))
    assert pair.reported("nvidia_80gb-X1") == pair["X1"]
    with pytest.raises(hardware.HardwareError, match=r"may be any of \['X1', 'Y2'\]"):
        pair.reported("X1 SXM")
