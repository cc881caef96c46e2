"""thoughtSignature as bytes (wire page, section 6)."""

import pytest

from adapters.formats.google_gemini.signatures import BYPASS, decoded, is_bypass, standard


@pytest.mark.parametrize(
    ("signature", "value"),
    [
        ("Af8=", b"\x01\xff"),
        ("Af8", b"\x01\xff"),
        ("-_8=", b"\xfb\xff"),
        ("+/8=", b"\xfb\xff"),
        ("", None),
        ("====", None),
        ("a", None),
        ("Af8=!", None),
        ("no base64", None),
        ("é", None),
    ],
)
def test_decoded(signature, value):
    assert decoded(signature) == value


@pytest.mark.parametrize(
    ("signature", "bypass"),
    [
        (BYPASS, True),
        ("skip/thought/signature/validator", True),
        ("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=", True),
        ("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I", True),
        ("context_engineering_is_the_way_to_go", True),
        ("Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv", True),
        ("Af8=", False),
        ("!", False),
    ],
)
def test_bypass(signature, bypass):
    assert is_bypass(signature) is bypass


def test_standard():
    assert standard("-_8") == "+/8="
    assert standard("!") is None
