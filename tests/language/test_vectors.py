"""The word vectors that ship with the package."""

from __future__ import annotations

import numpy as np
import pytest

from signalbox.language.vectors import embed


def similarity(a: str, b: str) -> float:
    first, second = embed([a, b])
    return float(first @ second)


def test_every_text_gets_one_unit_row():
    rows = embed(["delete the file", "remove"])

    assert rows.shape[0] == 2
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows():
    assert embed([]).shape[0] == 0


def test_a_text_without_words_gives_zeros():
    assert not embed(["", "?!"]).any()


@pytest.mark.parametrize(
    ("near", "word", "far"),
    [
        ("remove", "delete", "banana"),
        ("cost", "price", "river"),
        ("physician", "doctor", "engine"),
        ("processor", "cpu", "garden"),
        ("failure", "error", "holiday"),
    ],
)
def test_words_of_like_meaning_lie_nearer(near, word, far):
    assert similarity(word, near) > similarity(word, far) + 0.2


def test_a_word_outside_the_table_is_put_together_from_its_pieces():
    assert similarity("enrollment", "enroll") > 0.7


def test_identifiers_are_read_as_their_words():
    assert similarity("request_latency", "requestLatency") == pytest.approx(1.0, abs=1e-5)


def test_the_same_text_always_gives_the_same_row():
    assert np.array_equal(embed(["שלום 42"]), embed(["שלום 42"]))
