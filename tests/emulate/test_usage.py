"""The prompt cache, with and without marks."""

from proxy.emulate.agent import Call, Plan
from proxy.emulate.usage import PromptCache, count


def test_what_was_sent_before_is_read() -> None:
    cache = PromptCache()
    assert cache.look_up(["tools...", "user"]) == (0, 0)
    assert cache.look_up(["tools...", "user", "assistant", "again"]) == (3, 0)
    assert cache.look_up(["tools...", "user", "assistant", "again"]) == (6, 0)


def test_the_last_message_is_never_read() -> None:
    cache = PromptCache()
    cache.look_up(["tools...", "user"])
    assert cache.look_up(["tools...", "user"]) == (2, 0)


def test_a_changed_prefix_is_not_read() -> None:
    cache = PromptCache()
    cache.look_up(["tools...", "user"])
    assert cache.look_up(["Tools...", "user", "more"]) == (0, 0)


def test_marks_write_what_they_cover_and_read_it_later() -> None:
    cache = PromptCache()
    assert cache.look_up(["tools...", "user", "more"], [1, 2]) == (0, 3)
    assert cache.look_up(["tools...", "user", "more", "next"], [1, 3]) == (2, 2)
    assert cache.look_up(["tools...", "user", "more", "next"], [2, 3]) == (4, 0)
    assert cache.look_up(["tools...", "other"], [1, 2]) == (2, 2)
    assert cache.look_up(["tools...", "user", "more", "next"], []) == (0, 0)


def test_an_answer_counts_reasoning_text_names_and_arguments() -> None:
    assert count(Plan("12345", "1234", (Call("name", {}, "{}"),))) == (5, 2)
