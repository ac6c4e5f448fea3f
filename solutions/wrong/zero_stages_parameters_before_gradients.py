"""zero_stages: stage 2 shards the parameters and stage 3 the gradients"""

_SHARDED_FROM = {"parameters": 2, "gradients": 3, "master": 1, "optimizer": 1}
