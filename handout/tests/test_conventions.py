"""What holds for every function: arguments do not change, and results are new in each call.

No grader can see this, so these tests carry no points.
"""

import numpy as np
import pytest
import torch

from assignment.expect import expect

BF16 = torch.bfloat16
RECIPE = {"parameters": [BF16], "gradients": [BF16], "master": [], "optimizer": [BF16, BF16]}
MATRIX = torch.arange(6.0).reshape(2, 3)


def check(impl, target, *arguments):
    """Calls a function twice, and looks at its arguments and results."""
    found = impl.scenarios.arguments_after(target, *arguments)
    expect(found["arguments"], f"the arguments after {target}").equals(
        list(arguments), hint="work on a copy: the caller still uses its lists, dicts and tensors"
    )
    expect(found["marked"], "tensors that have a gradient or require one").equals(
        0, hint="detach() or clone() a tensor before autograd uses it"
    )
    expect(found["shared"], "lists and dicts that two results or the arguments share").equals(
        0, hint="return a new list or dict in each call: the caller may change it"
    )


@pytest.mark.exercise("tensor_bytes")
def test_tensor_bytes_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "dtypes.tensor_bytes", [2, 3], BF16)


@pytest.mark.exercise("storage_bytes")
def test_storage_bytes_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "dtypes.storage_bytes", [MATRIX, MATRIX])


@pytest.mark.exercise("block_scaled")
def test_block_scaled_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "dtypes.block_scaled_bytes", [2, 40], 4, 16, 8)


@pytest.mark.exercise("float_range")
def test_float_range_is_a_new_dict(impl):
    """Each call returns a new one"""
    check(impl, "floats.float_range", 5, 10)


@pytest.mark.exercise("row_major_strides")
def test_row_major_strides_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "strides.row_major_strides", [2, 3])


@pytest.mark.exercise("storage_index")
def test_storage_index_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "strides.storage_index", [1, 2], [3, 1])


@pytest.mark.exercise("is_contiguous")
def test_is_contiguous_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "strides.is_contiguous", [2, 3], [3, 1])


@pytest.mark.exercise("view_metadata")
def test_view_metadata_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "strides.transpose", [2, 3], [3, 1], 0, 0, 1)
    check(impl, "strides.slice_dim", [2, 3], [3, 1], 0, 1, 1, 3)
    check(impl, "strides.select", [2, 3], [3, 1], 0, 0, 1)


@pytest.mark.exercise("view_strides")
def test_view_strides_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "strides.view_strides", [2, 3], [3, 1], [3, -1])
    check(impl, "strides.view_strides", [3, 2], [1, 3], [6])


@pytest.mark.exercise("gather")
def test_gather_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "strides.gather", torch.arange(5), [3, 3], [1, 1])


@pytest.mark.exercise("similarity_scores")
def test_similarity_scores_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "named_axes.similarity_scores", MATRIX, MATRIX + 1)


@pytest.mark.exercise("project_heads")
def test_project_heads_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "named_axes.project_heads", MATRIX, torch.ones(3, 2))


@pytest.mark.exercise("pooled_reduction")
def test_pooled_reduction_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "named_axes.pool", MATRIX, "max")
    check(impl, "named_axes.pool", MATRIX, "mean")


@pytest.mark.exercise("mlp_flops")
def test_mlp_flops_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "flops.mlp_forward_flops", 2, [3, 4, 5])
    check(impl, "flops.mlp_backward_flops", 2, [3, 4, 5], False)


@pytest.mark.exercise("einsum_flops")
def test_einsum_flops_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "flops.einsum_flops", "a b, b c -> a c", [2, 3], [3, 4])


@pytest.mark.exercise("elementwise_flops")
def test_elementwise_flops_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "flops.elementwise_flops", [2, 3])


@pytest.mark.exercise("linear_backward")
def test_linear_backward_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "gradients.linear_backward", MATRIX, torch.ones(3, 2), torch.ones(2, 2))


@pytest.mark.exercise("mlp_backward")
def test_mlp_backward_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(
        impl,
        "gradients.mlp_backward",
        MATRIX - 2,
        [torch.ones(3, 2), torch.ones(2, 1)],
        torch.ones(2, 1),
    )


@pytest.mark.exercise("attainable")
def test_attainable_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "roofline.least_time", [(2.0, 1.0), (1.0, 3.0)], 1.0, 1.0)


@pytest.mark.exercise("find_accelerator")
def test_find_accelerator_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(
        impl, "roofline.find_accelerator", "NVIDIA L4", {"L4": {"names": ["L4"], "bandwidth": 3e11}}
    )


@pytest.mark.exercise("recipe_bytes")
def test_recipe_bytes_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "budget.bytes_per_parameter", RECIPE)
    check(impl, "budget.training_state", 7, RECIPE)


@pytest.mark.exercise("largest_model")
def test_largest_model_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "budget.largest_model", 8, 1000, RECIPE)


@pytest.mark.exercise("zero_stages")
def test_zero_stages_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "budget.zero_bytes", 7, 2, 1, RECIPE)


@pytest.mark.exercise("checkpointing_cost")
def test_checkpointing_cost_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "budget.checkpointing_cost", 16, [0, 4, 8, 12], True)


@pytest.mark.exercise("get_batch")
def test_get_batch_keeps_its_arguments(impl):
    """The corpus stays as it is"""
    check(impl, "data.get_batch", np.arange(50, dtype=np.uint16), 3, 4)


@pytest.mark.exercise("measured_mfu")
def test_measured_mfu_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "device.measured_mfu", 1.0, [3.0, 1.0, 2.0], 1.0)


@pytest.mark.exercise("truncated_normal")
def test_truncated_normal_keeps_its_arguments(impl):
    """Arguments stay as they are"""
    check(impl, "initialization.truncated_normal", [2, 3], 1.0, -1.0, 1.0, 0)


@pytest.mark.exercise("segments")
def test_segments_are_a_new_list(impl):
    """Each call returns a new one"""
    check(impl, "recompute.segment_bounds", 10, 4)
