"""zero_stages: stage 2 shards the parameters and stage 3 the gradients

Breaks: | 2 | parameters | optimizer, master, gradients |
"""

_SHARDED_FROM = {"parameters": 2, "gradients": 3, "master": 1, "optimizer": 1}
