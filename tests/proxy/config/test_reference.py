"""docs/config.md is the reference as the code makes it now."""

from pathlib import Path

from adapters.compat import FLAGS
from adapters.presets import PRESETS
from proxy.config.reference import keys, reference

PAGE = Path(__file__).parents[3] / "docs" / "config.md"


def test_the_page_is_current():
    assert PAGE.read_text() == reference() + "\n", "run: python -m proxy.config.reference > docs/config.md"


def test_it_names_every_key_flag_and_preset():
    page = reference()
    for path, _ in keys():
        assert f"| `{path}` |" in page
    for flag in (flag for known in FLAGS.values() for flag in known):
        assert f"| `{flag.name}` |" in page
    for name in PRESETS:
        assert f"| `{name}` |" in page


def test_every_row_has_the_cells_of_its_head():
    columns = 0
    for line in reference().splitlines():
        if line.startswith("| --- "):
            columns = line.count("|")
        elif line.startswith("| `"):
            assert line.count("|") == columns, line


ROWS = [
    "| `server.port` | whole number | `4100` | The port; 0 takes a free one. At least 0, at most 65535. |",
    "| `server.fetch_images` | `off`, `public` | `off` | `public`: remote images are fetched from public addresses, "
    "for APIs that want bytes. |",
    "| `models.NAME.target[].weight` | number | `1` | Its share. More than 0. |",
    "| `max_tools` | `null`, whole number | `128` | The most tools a request may carry; null is no limit. |",
    '| `betas` | list | `["*"]` | Patterns of the client\'s `anthropic-beta` values that go on. |',
]


def test_rows_as_a_reader_sees_them():
    lines = reference().splitlines()
    assert [row for row in ROWS if row not in lines] == []
