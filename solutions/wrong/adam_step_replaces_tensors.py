"""adamw_step: puts new tensors into the lists instead of changing the old ones in place

Breaks: One Adam step over many tensors, in place

Breaks: the parameters, of any shapes; changed in place

Breaks: changed in place
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, **settings):
    new = [[t.detach().clone() for t in ts] for ts in (params, exp_avgs, exp_avg_sqs)]
    _right_step(new[0], grads, new[1], new[2], **settings)
    params[:], exp_avgs[:], exp_avg_sqs[:] = new
