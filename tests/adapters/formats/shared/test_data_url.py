import pytest

from adapters.formats.shared.data_url import join, split


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("data:image/png;base64,AAAA", ("image/png", "AAAA")),
        ("DATA:Image/PNG;charset=x;base64,AAAA", ("image/png", "AAAA")),
        ("data:;base64,AAAA", (None, "AAAA")),
        ("data:text/plain,a%20b", ("text/plain", "YSBi")),
        ("data:,", (None, "")),
        ("https://example.org/a.png", None),
        ("data:image/png;base64", None),
    ],
)
def test_split(url: str, expected: tuple[str | None, str] | None) -> None:
    assert split(url) == expected


def test_join() -> None:
    assert join("image/png", "AAAA") == "data:image/png;base64,AAAA"
    assert join(None, "AAAA") == "data:application/octet-stream;base64,AAAA"
