"""Arguments that Vertex streams piece by piece (wire page, section 5)."""

import pytest

from adapters.errors import Malformed
from adapters.events import CallStart
from adapters.formats.google_gemini.partial import PartialCall, steps


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.a", ["a"]),
        ("$.a.b[0]", ["a", "b", 0]),
        ("$.tags[]", ["tags", None]),
        ("$['a b'].c", ["a b", "c"]),
        ('$["x.y"][12]', ["x.y", 12]),
        ("$.ü_1", ["ü_1"]),
    ],
)
def test_steps(path, expected):
    assert steps(path) == expected


@pytest.mark.parametrize("path", ["", "$", "a", "$.", "$.a..b", "$.a[x]", "$a"])
def test_no_path(path):
    with pytest.raises(Malformed):
        steps(path)


def s(path, value, more=False):
    return {"jsonPath": path, "stringValue": value, **({"willContinue": True} if more else {})}


@pytest.mark.parametrize(
    ("pieces", "args"),
    [
        ([], {}),
        ([s("$.city", "Ro", True), s("$.city", "me")], {"city": "Rome"}),
        ([s("$.a.b[0]", "x"), s("$.a.b[1]", "y"), s("$.a.b[1]", "z")], {"a": {"b": ["x", "yz"]}}),
        ([{"jsonPath": "$.n", "numberValue": 5}, {"jsonPath": "$.t", "boolValue": False}], {"n": 5, "t": False}),
        ([{"jsonPath": "$.x", "nullValue": "NULL_VALUE"}], {"x": None}),
        ([{"jsonPath": "$.tags[]"}], {"tags": []}),
        ([{"jsonPath": "$.o"}], {"o": {}}),
        ([{"jsonPath": "$.tags[]"}, s("$.tags[0]", "a")], {"tags": ["a"]}),
        ([s("$.list[0].k", "v"), s("$.list[1].k", "w")], {"list": [{"k": "v"}, {"k": "w"}]}),
        ([s("$.m[0][1]", "v")], {"m": [[None, "v"]]}),
    ],
)
def test_pieces(pieces, args):
    call = PartialCall(CallStart(0, "", "f"))
    for piece in pieces:
        call.add(piece)
    assert call.args == args


@pytest.mark.parametrize(
    "pieces",
    [
        [5],
        [{"stringValue": "x"}],
        [s("$.a", "x"), s("$.a.b", "y")],
        [s("$.a[0]", "x"), s("$.a.b", "y")],
        [s("$.a[99999999]", "x")],
        [s("$[0]", "x")],
    ],
)
def test_pieces_that_contradict(pieces):
    call = PartialCall(CallStart(0, "", "f"))
    with pytest.raises(Malformed):
        for piece in pieces:
            call.add(piece)
