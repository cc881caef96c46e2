from collections.abc import Callable
from typing import Any

import pytest

from adapters.errors import Rejected
from adapters.formats.shared.fields import Fields

BODY = {"text": "a", "flag": True, "count": 3, "number": 0.5, "object": {"a": 1}, "items": [1], "nothing": None,
        "blank": ""}


def test_fields_are_taken_once() -> None:
    fields = Fields.of(BODY)
    assert fields.text("text") == "a"
    assert fields.flag("flag") is True
    assert fields.integer("count") == 3
    assert fields.number("number") == 0.5
    assert fields.object("object") == {"a": 1}
    assert fields.items("items") == [1]
    assert fields.text("nothing") is None
    assert fields.items("missing") == []
    assert fields.values == {"blank": ""}
    assert BODY["text"] == "a"


WRONG: list[tuple[Callable[[Fields], Any], str]] = [
    (lambda f: f.text("count"), "x.count must be a string"),
    (lambda f: f.needed("blank"), "x.blank is required"),
    (lambda f: f.needed("missing"), "x.missing is required"),
    (lambda f: f.flag("count"), "x.count must be true or false"),
    (lambda f: f.integer("flag"), "x.flag must be an integer"),
    (lambda f: f.integer("number"), "x.number must be an integer"),
    (lambda f: f.integer("count", 4), "x.count must be at least 4"),
    (lambda f: f.number("flag"), "x.flag must be a number"),
    (lambda f: f.object("items"), "x.items must be an object"),
    (lambda f: f.items("object"), "x.object must be an array"),
    (lambda f: f.word("text", ("b", "c")), "x.text must be one of b, c"),
]


@pytest.mark.parametrize(("take", "message"), WRONG)
def test_wrong(take: Callable[[Fields], Any], message: str) -> None:
    with pytest.raises(Rejected) as caught:
        take(Fields.of(BODY, "x"))
    assert str(caught.value) == message
    assert caught.value.failure.param == message.split(maxsplit=1)[0]


def test_the_body_itself() -> None:
    with pytest.raises(Rejected, match="the body must be an object"):
        Fields.of([])
