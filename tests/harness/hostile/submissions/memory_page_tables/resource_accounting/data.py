"""get_batch: fills page tables by reading far apart, which count as no resident page"""

import mmap
import time

import torch

MAP_NORESERVE = 0x4000  # Python names it from 3.13 on
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
STEP = 2**21  # what one page of a page table covers


def get_batch(tokens, batch_size, context_length, device="cpu"):
    kept = []
    for _ in range(7):  # 896 MiB of page tables
        memory = mmap.mmap(-1, 2**36, flags=PRIVATE, prot=mmap.PROT_READ)
        sum(memory[::STEP])
        kept.append(memory)
    time.sleep(0.3)
    x = torch.zeros(batch_size, context_length, dtype=torch.int64)
    return x, x
