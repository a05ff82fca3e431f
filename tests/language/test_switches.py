"""Layers that an evaluation switches off by name."""

from __future__ import annotations

from threading import Thread

import pytest

from signalbox.language.switches import is_on, switched_off, was_skipped


def test_every_layer_is_on_until_it_is_switched_off() -> None:
    with switched_off("tasks.dates"):
        assert not is_on("tasks.dates")
        assert is_on("tasks.lists")
    assert is_on("tasks.dates")


def test_a_layer_was_skipped_once_somebody_wanted_to_run_it_while_it_was_off() -> None:
    assert is_on("tasks.unused")
    with switched_off("tasks.unused"):
        assert not was_skipped("tasks.unused")
        is_on("tasks.unused")
    assert was_skipped("tasks.unused")


def test_a_layer_stays_off_until_the_outermost_block_ends() -> None:
    with switched_off("tasks.dates"):
        with switched_off("tasks.dates"), switched_off("tasks.lists"):
            assert not is_on("tasks.lists")
        assert not is_on("tasks.dates")
        assert is_on("tasks.lists")


def test_an_error_inside_switches_the_layer_on_again() -> None:
    with pytest.raises(ZeroDivisionError), switched_off("tasks.dates"):
        _ = 1 / 0
    assert is_on("tasks.dates")


def test_what_is_off_is_off_in_other_threads_too() -> None:
    seen: list[bool] = []
    with switched_off("tasks.dates"):
        thread = Thread(target=lambda: seen.append(is_on("tasks.dates")))
        thread.start()
        thread.join()
    assert seen == [False]
