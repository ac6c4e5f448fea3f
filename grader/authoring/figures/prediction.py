"""The figure of the chapter on prediction: live bytes over a step, predicted and measured."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from assignment.figures.look import BLUE, LINE, RED, SOFT, canvas
from assignment.material.small_transformer import SMALL, Sizes
from assignment.material.step_counts import LiveBytes, Run
from solutions.resource_accounting import prediction

# For each point of the step at which memory can peak: the operation that ends it, which occurrence
# of that operation since the previous point it is, and the label.
_CANDIDATES = {
    "loss": ("_log_softmax_backward_data", 1, "the loss, backward"),
    "lm_head": ("mm", 2, "the lm_head, backward"),  # the second product after the loss
    "feed_forward": ("gelu_backward", 1, "the last feed-forward, backward"),
    "attention": ("_softmax_backward_data", 1, "the last attention, backward"),
    "embedding": ("embedding_dense_backward", 1, "the embedding, backward"),
    "optimizer": ("_foreach_sqrt", 1, "the optimizer"),
}


class Named(LiveBytes):  # type: ignore[no-untyped-call]
    """Notes the name of each operation beside the bytes alive after it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = super().__torch_dispatch__(func, types, args, kwargs)
        self.names.append(func.overloadpacket.__name__)
        return result


def peak_candidates(sizes: Sizes) -> dict[str, int]:
    """Predicted bytes alive at each point of the step that can be the peak, by the reference."""
    elements = prediction._Step(**vars(sizes)).moments
    mask = sizes.context**2  # of attention, a byte for each element
    return {name: 4 * n + mask for name, n in zip(_CANDIDATES, elements, strict=True)}


def parameters_of(sizes: Sizes) -> int:
    """The parameters that the reference predicts."""
    return prediction._Step(**vars(sizes)).parameters


def live_bytes() -> Figure:
    """Bytes alive after each operation of the step that `make predict` runs, and the prediction."""
    run, live = Run(SMALL, "meta"), Named()
    for tensor in run.tensors():
        live.watch(tensor)
    with live:
        run.step()
    figure, axes = canvas(3.2)
    mb = [alive / 1e6 for alive in live.log]
    axes.step(range(len(mb)), mb, where="post", color=BLUE, linewidth=1.3, label="measured")
    state = parameters_of(SMALL) * 4 / 1e6
    for copies, words in ((3, "parameters and moments"), (4, "and gradients")):
        axes.axhline(copies * state, color=LINE, linewidth=0.8, zorder=0)
        axes.text(len(mb) + 55, copies * state - 3, words, color=SOFT, ha="right", va="top")
    at = -1
    for number, (name, size) in enumerate(peak_candidates(SMALL).items(), 1):
        operation, nth, words = _CANDIDATES[name]
        for _ in range(nth):
            at = live.names.index(operation, at + 1)
        axes.plot(at, size / 1e6, "o", color=RED, markersize=4.5)
        axes.text(at + 5, size / 1e6 + 4, str(number), color=RED)
        line = f"{number}  {words}: {size / 1e6:.0f} MB"
        axes.text(400, 322 - 17 * number, line, color=RED, va="center")
    axes.plot([], [], "o", color=RED, markersize=4.5, label="predicted")
    axes.set(xlabel="operations done in the step", ylabel="bytes alive, MB")
    axes.set(xlim=(0, len(mb) + 60), ylim=(0, 320))
    axes.legend(loc="upper left")
    return figure
