"""Optimizers run on tensors in files, as `tensor_files.py` says, and what the runs leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assignment.calls.implementation import Implementation
from assignment.expect import expect
from assignment.material.tensor_files import TensorFile


class RunResult:
    """Lists of tensors by name as a run left them, read from its file at the first lookup."""

    def __init__(self, runs: OptimizerRuns, file: TensorFile, **places: Any) -> None:
        self._runs, self.file, self.places = runs, file, places
        self.state_dict: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if self.file.end is None:
            self._runs.read_files()
        places = self.places[name]
        if places and isinstance(places[0], list):
            return [self.file.tensors(group) for group in places]
        return self.file.tensors(places)


class OptimizerRuns:
    """Runs optimizers of an implementation on tensors in files.

    The first lookup in a result reads the files of all runs made until then. In the grader this
    ends the process that ran them, so look only after the last run.
    """

    def __init__(self, impl: Implementation) -> None:
        self._impl = impl
        self._files: list[TensorFile] = []

    def new_file(self, params: Sequence[torch.Tensor]) -> TensorFile:
        """A file for tensors of these parameters' dtypes; of float64 if one is."""
        has_float64 = any(p.dtype is torch.float64 for p in params)
        dtype = torch.float64 if has_float64 or not params else params[0].dtype
        file = TensorFile(self._impl.scratch / f"tensors-{len(self._files)}", dtype)
        self._files.append(file)
        return file

    def steps(
        self,
        function: str,
        params: Sequence[torch.Tensor],
        grads: Sequence[torch.Tensor],
        states: Sequence[Sequence[torch.Tensor]],
        *,
        transposed: bool = False,
        **settings: Any,
    ) -> RunResult:
        """Runs the scenario `optimizer_steps` from these parameters; `settings` go to it.

        `grads` holds a tensor for each parameter, whose first dimension is the steps. `transposed`
        stores matrices column by column, so that they are not contiguous: parameters and states
        always, gradients in every second step. The result has "params", "states" and "grads".
        """
        file = self.new_file(params)
        places = [file.place(p, transposed) for p in params]
        state_places = [[file.place(t, transposed) for t in tensors] for tensors in states]
        grad_places = [
            [file.place(g[i], transposed and i % 2 == 0) for g in grads]
            for i in range(len(grads[0]))
        ]
        self._impl.call(
            "scenarios.optimizer_steps",
            function, file.path, file.start, places, grad_places, state_places, **settings,
        )  # fmt: skip
        return RunResult(self, file, params=places, states=state_places, grads=grad_places)

    def adamw(
        self,
        params: Sequence[torch.Tensor],
        grads: Sequence[torch.Tensor],
        continue_from: RunResult | None = None,
        **settings: Any,
    ) -> RunResult:
        """Runs the scenario `adamw_optimizer`; `state_dict` of the result is what it returns.

        Parameters, gradients and settings are as in `steps`. `continue_from` is the result of an
        earlier run: its file is used and it is returned, and `params` is ignored.
        """
        if continue_from is None:
            file = self.new_file(params)
            result = RunResult(self, file, params=[file.place(p) for p in params])
            start = file.start
        else:
            result, start = continue_from, None
        left = self._impl.call(
            "scenarios.adamw_optimizer",
            result.file.path, start, result.places["params"], grads, **settings,
        )  # fmt: skip
        result.state_dict = expect(left, "state_dict()").is_a(dict)
        expect(left.get("state"), '"state" of state_dict()').is_a(dict)
        for group in expect(left.get("param_groups"), '"param_groups" of state_dict()').is_a(list):
            expect(group, "a group of state_dict()").is_a(dict)
        return result

    def read_files(self) -> None:
        """Reads the file of each run that has not been read."""
        files = [file for file in self._files if file.end is None]
        contents = self._impl.call("readers.files_bytes", [file.path for file in files])
        for file, content in zip(files, contents, strict=True):
            file.end = torch.frombuffer(bytearray(content), dtype=file.dtype)
