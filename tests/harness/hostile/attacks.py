"""The attacks in `submissions/`, by class: what each hidden check of an attack may have failed for.

Several causes stand where it is a race, or where a weaker tier ends the attack elsewhere.
"""

from typing import NamedTuple

from grader.causes import Cause
from tests.harness.hostile.more_than_calls import ATTACKS_ON_MORE_THAN_CALLS

DIED, DISK, EXCEPTION = Cause.DIED, Cause.DISK, Cause.EXCEPTION
MEMORY, UNFINISHED, PROTOCOL = Cause.MEMORY, Cause.UNFINISHED, Cause.PROTOCOL
IMPORT, NOT_PLAIN, TIMEOUT, WRONG = (
    Cause.IMPORT_FAILED,
    Cause.NOT_PLAIN_DATA,
    Cause.TIMEOUT,
    Cause.WRONG_ANSWER,
)


class Attack(NamedTuple):
    """The class of an attack, and the causes that its hidden checks may fail for."""

    kind: str
    causes: set[Cause]


_BY_CLASS: dict[str, dict[str, set[Cause]]] = {
    **ATTACKS_ON_MORE_THAN_CALLS,
    "plugins and patches": {
        "patches_everything": {WRONG},
        "patches_the_wire": {PROTOCOL},
        "brings_a_conftest": {WRONG},
        "brings_a_plugin": {WRONG},
        "patches_builtins": {WRONG},
        "patches_system_calls": {PROTOCOL},
        "patches_tensors": {NOT_PLAIN},
        "torch_modes": {WRONG, EXCEPTION, Cause.LEFT_CHANGED},
        "hijacks_scenarios": {WRONG, EXCEPTION, Cause.LEFT_CHANGED},
    },
    "introspection": {
        "looks_for_answers": {WRONG},
        "edits_its_caller": {WRONG},
        "walks_the_heap": {WRONG},
        "traces_the_loop": {PROTOCOL},
        "audit_hook": {WRONG},
        "import_hooks": {WRONG},
        "acts_when_collected": {PROTOCOL},
    },
    "lying objects": {
        "always_equal": {NOT_PLAIN},
        "evil_scalars": {NOT_PLAIN},
        "evil_tensor": {NOT_PLAIN},
        "huge_answers": {WRONG, NOT_PLAIN},  # together too large for a message
        "too_large": {NOT_PLAIN, MEMORY},
        "evil_containers": {NOT_PLAIN},
        "pretends_a_class": {NOT_PLAIN},
        "evil_arrays": {NOT_PLAIN},
        "answer_changes": {PROTOCOL, WRONG, NOT_PLAIN, DIED},
        "unnameable_class": {NOT_PLAIN},
        "endless_generators": {NOT_PLAIN},
        "odd_tensors": {NOT_PLAIN},
        "expanded_tensor": {NOT_PLAIN, MEMORY},
        "cyclic_answer": {NOT_PLAIN, MEMORY},  # many calls of a batch may each hold 80 MB
        "huge_integers": {NOT_PLAIN},
        "lone_surrogates": {NOT_PLAIN},
        "tensors_out_of_transforms": {NOT_PLAIN},
        "dtypes_with_luggage": {NOT_PLAIN},
    },
    "wrong kinds": {
        "nan": {WRONG},
        "nan_batch": {WRONG},
        "wrong_kind": {WRONG},
        "wrong_scalars": {NOT_PLAIN},
        # A large batch as lists has too many values. What is drawn may differ where it should.
        "wrong_dtype": {WRONG, NOT_PLAIN, Cause.NEEDS_WORK},
        "one_for_true": {WRONG},
        "always_true": {WRONG},
        "odd_floats": {WRONG},
    },
    "exceptions": {
        "evil_exception": {EXCEPTION},
        "evil_metaclass": {DIED},
        "endless_text": {TIMEOUT},
        "exception_groups": {EXCEPTION},
        "endless_causes": {EXCEPTION},
        "huge_text": {EXCEPTION},
        "unreadable_traceback": {EXCEPTION},
        "the_graders_own_exceptions": {EXCEPTION},
        "claims_not_plain": {NOT_PLAIN},
        "raises_what_is_expected": {EXCEPTION},
    },
    "exits": {
        "os_exit": {DIED},
        "system_exit": {EXCEPTION},
        "exit_at_import": {IMPORT},
        "system_exit_at_import": {IMPORT},
        "crash": {DIED},
        "silent": {DIED},
        "aborts": {DIED},
        "stops_itself": {WRONG, TIMEOUT},
        "main_thread_ends": {DIED},
        "sleeps_without_its_first_thread": {DIED},
        "replaces_the_channel": {DIED},
    },
    "no end": {
        "deadlock": {TIMEOUT},
        "endless_call": {TIMEOUT},
        "endless_import": {IMPORT},
        "recursion": {EXCEPTION},
        "regex_blowup": {TIMEOUT},
        "huge_power": {TIMEOUT},
        "sleeps_between_samples": {TIMEOUT},
        "sleeps_in_other_threads": {TIMEOUT},
    },
    "bombs": {
        "memory_numpy": {MEMORY},
        "memory_torch": {MEMORY},
        "memory_bytes": {MEMORY},
        "memory_shared": {EXCEPTION},
        "memory_page_tables": {MEMORY},
        "disk_bomb": {EXCEPTION, DISK},
        "disk_in_one_call": {EXCEPTION, DISK},
        "deep_folders": {WRONG, DISK},
        "output_flood": {WRONG, TIMEOUT},  # 100 MB a call, and a test makes many
        "output_forever": {TIMEOUT},
        "descriptor_bomb": {EXCEPTION},
        "fork_bomb": {EXCEPTION},
        "sparse_files": {WRONG, DISK},
        "thread_bomb": {WRONG, MEMORY},  # threads take addresses, too
        "timer_writes": {PROTOCOL},
        "exhausts_the_compiler": {IMPORT},
        "mapping_bomb": {WRONG},
        "memory_of_pipes_and_queues": {WRONG},
    },
    "later": {
        "thread_writes_later": {PROTOCOL, WRONG},
        "thread_steals_requests": {PROTOCOL, DIED, WRONG},
        "keeps_in_memory": {WRONG},
        "caches_in_files": {WRONG},
        "leaves_marks_in_the_system": {WRONG},
        "remembers_in_the_page_cache": {WRONG},
        "shares_memory_by_name": {WRONG},
    },
    "reading": {
        "looks_for_files_by_stat": {WRONG},
        "reads_around": {IMPORT},
        "uses_its_callers_paths": {WRONG},
        "follows_the_installation": {WRONG},
        "reads_processes": {WRONG},
        "reads_the_other_lane": {WRONG},
        "escapes_by_descriptors": {WRONG},
        "reads_devices": {WRONG},
        "searches_the_disk": {WRONG},
        "searches_its_memory": {WRONG},
        "looks_at_physical_pages": {WRONG},
        "paths_of_its_package": {WRONG},
    },
    "writing": {
        "writes_results": {WRONG},
        "poisons_the_library": {WRONG},
        "rewrites_itself": {WRONG},
        "changes_its_accounts": {WRONG},
        "changes_modes_and_times": {WRONG},
        "punches_holes": {WRONG},
    },
    "other processes": {
        "signals": {WRONG},
        "takes_others_descriptors": {WRONG},
        "takes_priority": {WRONG},
        "signals_by_other_calls": {WRONG},
        "asks_after_processes_by_number": {WRONG},
    },
    "network": {
        "network": {WRONG},
        "network_by_number": {WRONG},
        "passes_descriptors": {WRONG},
    },
    "kernel": {
        "unlocks": {WRONG},
        "runs_from_memory": {WRONG},
        "mounts_and_namespaces": {WRONG},
        "sweeps_the_kernel": {WRONG},
        "controls_descriptors": {WRONG},
        "another_calling_convention": {DIED},
        "calls_as_x32": {DIED},
        "calls_with_high_halves": {WRONG},
        "asks_the_kernel_for_favours": {WRONG},
        "advises_on_pages": {WRONG},
    },
    "frames": {
        "frame_before_asked": {WRONG, PROTOCOL},
        "frame_twice": {PROTOCOL},
        "frame_wrong_id": {PROTOCOL},
        "frame_huge": {Cause.TOO_LARGE},
        "frame_counts": {PROTOCOL},
        "frame_deep": {PROTOCOL},
        "frame_garbage": {PROTOCOL},
        "frame_half": {DIED},
        "frame_same_hash": {PROTOCOL},
        "frame_unknown_failure": {PROTOCOL},
        "frame_odd_fields": {EXCEPTION},
        "frame_odd_survey": {IMPORT},
        "frame_no_survey": {IMPORT},
        "frame_odd_parameters": {WRONG, PROTOCOL},
        "frame_drips": {TIMEOUT},
        "frame_odd_tensors": {PROTOCOL},
        "frame_two_answers": {PROTOCOL},
        "flush_speaks": {PROTOCOL},
        "echoes_the_request": {PROTOCOL},
        "answers_with_functions": {PROTOCOL},
        "claims_not_to_have_begun": {Cause.NOT_STARTED},
        "claims_to_be_missing": {Cause.MISSING, UNFINISHED, Cause.WRONG_SIGNATURE, IMPORT},
    },
    "shadowing": {
        "shadows_modules": {WRONG},
        "shadows_the_grader": {WRONG},
        "loads_by_environment": {WRONG},
        "attributes_of_the_moment": {WRONG},
        "source_in_another_encoding": {WRONG},
        "name_of_any_bytes": {WRONG},
        "reports_a_long_file_name": {WRONG},
        "maps_files_named_in_lines": {WRONG, DISK},
    },
    "recognition": {
        "rote_answers": {EXCEPTION},
        "recognises_its_test": {WRONG},
        "predicts_the_inputs": {WRONG},
    },
    "carrying out": {
        "carries_by_exception": {EXCEPTION},
        "carries_by_exit": {DIED},
        "carries_by_type": {NOT_PLAIN},
        "carries_by_time": {WRONG},
        "carries_by_names": {WRONG},
        "carries_to_further_seeds": {EXCEPTION},
        "markup_in_its_output": {EXCEPTION},
        "forges_verdicts_in_its_output": {WRONG},
    },
    "encodings": {
        "codec_tricks": {WRONG},
        "surrogates_at_import": {IMPORT},
    },
}

CLASSES = tuple(_BY_CLASS)
CAUSES = {
    name: Attack(kind, causes)
    for kind, attacks in _BY_CLASS.items()
    for name, causes in attacks.items()
}
assert len(CAUSES) == sum(map(len, _BY_CLASS.values())), "an attack has two classes"
# Other tiers do not stop these; `grader/README.md` says so.
ONLY_IN_TIER_A = {"looks_for_files_by_stat", "asks_after_processes_by_number"}
# These take all the time they are given; others get more, so that a slow machine shows their cause.
NEVER_ENDS = {name for name, attack in CAUSES.items() if TIMEOUT in attack.causes} | {
    "endless_import"
}
# Each takes as long as ten others.
_SLOW = {
    "carries_by_time",
    "checkpoint_names_lie",
    "deadlock",
    "deep_folders",
    "endless_call",
    "endless_import",
    "exception_groups",
    "huge_answers",
    "huge_text",
    "iterator_fills_the_judge",
    "sleeps_between_samples",
}
# What `make test` runs: every tenth attack of each class, without slow ones. The campaign `attack`
# runs all, in every tier.
_QUICK = [[name for name in attacks if name not in _SLOW] for attacks in _BY_CLASS.values()]
EVERY_TENTH = {name for attacks in _QUICK for name in attacks[::10]}
