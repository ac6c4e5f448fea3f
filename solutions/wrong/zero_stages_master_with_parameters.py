"""zero_stages: the master copy is sharded with the parameters, at stage 3 only

Breaks: | 1 | parameters, gradients | optimizer, master |
"""

_SHARDED_FROM = {"parameters": 3, "gradients": 2, "master": 3, "optimizer": 1}
