"""find_accelerator (core): the devices that drivers are known to report are looked up in a dictionary"""

_known = {
    "tesla t4": "T4",
    "tesla v100-sxm2-16gb": "V100 SXM2 16GB",
    "tesla v100-sxm2-32gb": "V100 SXM2 32GB",
    "tesla v100-pcie-32gb": "V100 PCIe 32GB",
    "nvidia a10": "A10",
    "nvidia a10g": "A10G",
    "a100-sxm4-40gb": "A100 40GB",
    "nvidia a100-pcie-40gb": "A100 40GB",
    "nvidia a100-sxm4-80gb": "A100 SXM 80GB",
    "nvidia a100 80gb pcie": "A100 PCIe 80GB",
    "nvidia l4": "L4",
    "nvidia l40": "L40",
    "nvidia l40s": "L40S",
    "nvidia h100 80gb hbm3": "H100 SXM",
    "nvidia h100 pcie": "H100 PCIe",
    "nvidia h100 nvl": "H100 NVL",
    "nvidia h200": "H200 SXM",
    "nvidia h200 nvl": "H200 NVL",
    "nvidia b200": "B200",
    "nvidia gb200": "GB200",
}


def find_accelerator(device_name, accelerators):
    key = _known.get(device_name.lower())
    if key not in accelerators:
        raise LookupError(f"unknown: {device_name!r}")
    return key
