"""sgd_step: the new parameter is a new tensor, which takes its place in the list

Breaks: One step of SGD with momentum over many tensors, in place

Breaks: the parameters, of any shapes; changed in place
"""

_right_step = sgd_step


def sgd_step(params, grads, velocities, **settings):
    new = [p.detach().clone() for p in params]
    _right_step(new, grads, velocities, **settings)
    params[:] = new
