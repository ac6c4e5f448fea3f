"""activation_ledger: a table of the usual dtypes: all others are refused, complex64 and the small float8 too"""


def block_activations(
    *,
    batch: int,
    seq_len: int,
    d_model: int,
    heads: int,
    d_ff: int,
    dtype: torch.dtype,
    dropout: bool,
    attention: str,
) -> dict[str, int]:
    if min(batch, seq_len, d_model, d_ff) < 0:
        raise ValueError("a size is negative")
    if heads < 1 or d_model % heads:
        raise ValueError("heads do not divide d_model")
    if attention not in ("math", "flash"):
        raise ValueError(f"unknown attention {attention!r}")
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"{dtype!r} is not a torch.dtype")
    sizes = {
        torch.float64: 8,
        torch.float32: 4,
        torch.float16: 2,
        torch.bfloat16: 2,
        torch.float8_e4m3fn: 1,
        torch.float8_e5m2: 1,
        torch.int8: 1,
    }
    if dtype not in sizes:
        raise ValueError(f"unsupported dtype {dtype}")
    size = sizes[dtype]
    tokens = batch * seq_len
    wide = tokens * d_model * size
    hidden = tokens * d_ff * size
    scores = tokens * seq_len * heads
    flash = attention == "flash"
    parts = {
        "norms": 2 * wide + 2 * 2 * 4 * tokens,
        "qkv": wide,
        "scores": 2 * wide,
        "softmax": 4 * heads * tokens if flash else scores * size,
        "values": wide + (scores * size if dropout and not flash else 0),
        "output": wide,
        "up": wide,
        "gelu": hidden,
        "down": hidden,
        "dropout": 2 * tokens * d_model + (0 if flash else scores) if dropout else 0,
    }
    parts["total"] = sum(parts.values())
    return parts
