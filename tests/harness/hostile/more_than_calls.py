"""Attacks on what a test does besides calls: its own functions, readers of files, syncs and kills.

`attacks.py` has all others, and says what the causes mean.
"""

from grader.causes import Cause

DIED, DISK, EXCEPTION, IMPORT = Cause.DIED, Cause.DISK, Cause.EXCEPTION, Cause.IMPORT_FAILED
NOT_PLAIN, PROTOCOL, WRONG = Cause.NOT_PLAIN_DATA, Cause.PROTOCOL, Cause.WRONG_ANSWER
CHANGED = Cause.LEFT_CHANGED

ATTACKS_ON_MORE_THAN_CALLS: dict[str, dict[str, set[Cause]]] = {
    "callbacks": {
        "uses_an_old_number": {PROTOCOL},
        "uses_under_another_call": {PROTOCOL},
        "uses_functions_of_nobody": {PROTOCOL},
        "uses_of_odd_form": {PROTOCOL},
        "uses_after_its_answer": {WRONG},
        "uses_ahead_of_their_answers": {WRONG},
        "uses_by_two_threads_at_once": {PROTOCOL},
        "uses_with_keywords_for_itself": {WRONG},
        "uses_for_ever": {PROTOCOL},
        "uses_while_imported": {IMPORT},
        "answers_uses_itself": {WRONG},
        "keeps_a_stand_in": {WRONG},
        "iterator_fills_the_judge": {Cause.TOO_LARGE, WRONG},
        "iterator_of_a_million_tensors": {PROTOCOL},
        "iterator_ends_early": {WRONG},
        "iterator_of_objects": {NOT_PLAIN, Cause.EXCEPTION},  # a scenario may ask for its items
        "iterator_answers_twice": {PROTOCOL},
        "iterator_answers_the_first_call": {PROTOCOL},
        "iterator_ends_and_gives": {PROTOCOL},
        "iterator_of_the_test_itself": {WRONG},
        "works_the_generator": {WRONG},
        "replaces_the_tests_exceptions": {WRONG, EXCEPTION},
    },
    "files for readers": {
        "folder_in_place_of_a_file": {EXCEPTION},
        "file_that_nobody_may_read": {EXCEPTION},
        "files_of_much_air": {WRONG, CHANGED, Cause.TOO_LARGE},
        "writes_after_its_end": {WRONG, CHANGED, EXCEPTION},
        "links_to_what_is_not_its_own": {WRONG, CHANGED},
        "spoils_the_readers": {WRONG, CHANGED},
        "reads_what_it_was_not_given": {WRONG, CHANGED},
        "checkpoint_unpacks_to_gigabytes": {WRONG, EXCEPTION},
        "checkpoint_is_a_program": {WRONG, EXCEPTION},
        "checkpoint_names_lie": {WRONG, EXCEPTION},
        "names_that_no_text_can_hold": {NOT_PLAIN, EXCEPTION},
    },
    # Of their checks, only some look at syncs or kill a save; the others fail by an exception.
    "syncs and kills": {
        "syncs_what_is_no_file": {EXCEPTION, WRONG},
        "syncs_by_other_means": {EXCEPTION, WRONG},
        "syncs_before_it_writes": {EXCEPTION, WRONG},
        "syncs_a_file_that_is_gone": {EXCEPTION, WRONG},
        "syncs_from_many_threads": {EXCEPTION, WRONG},
        "syncs_too_often": {EXCEPTION, DISK},
        "syncs_among_many_files": {EXCEPTION, DISK},
        "renames_back_and_forth": {EXCEPTION, WRONG},
        "answers_its_own_notifications": {EXCEPTION, WRONG},
        "interrupts_its_syncs": {EXCEPTION, WRONG},
        "dies_before_it_is_killed": {EXCEPTION, DIED},
        "saves_in_a_process_that_lives_on": {EXCEPTION},
        "hides_its_saves": {EXCEPTION, WRONG},
        "changes_files_without_end": {EXCEPTION, DISK},
        "writes_while_another_waits": {EXCEPTION, WRONG},
        "maps_in_place": {EXCEPTION, WRONG},
        "hides_between_writes": {EXCEPTION, WRONG},
    },
}
