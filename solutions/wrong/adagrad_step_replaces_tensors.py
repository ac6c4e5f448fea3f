"""rmsprop_step: puts new tensors into the lists instead of changing the old ones in place

Breaks: One AdaGrad step over many tensors, in place

Breaks: the parameters, of any shapes; changed in place

Breaks: changed in place
"""

_right_step = adagrad_step


def adagrad_step(params, grads, sums, **settings):
    new = [[t.detach().clone() for t in ts] for ts in (params, sums)]
    _right_step(new[0], grads, new[1], **settings)
    params[:], sums[:] = new
