"""The page of what is not carried is made from the table, and the table names what exists."""

from __future__ import annotations

from tests.matrix.cannot_carry import FIELDS, PAGE, page, rows
from tests.matrix.conversations import CONVERSATIONS
from tests.matrix.test_matrix import DIALECTS
from tests.matrix.upstream import targets


def test_the_page_is_made_from_the_table() -> None:
    assert PAGE.read_text("utf-8") == page(), "make docs"


def test_rows_name_what_exists() -> None:
    names = {conversation.name for conversation in CONVERSATIONS}
    hosts = {target.name for target in targets()}
    for row in rows():
        assert row.field in FIELDS
        assert set(row.conversations) <= names
        assert set(row.dialects) <= set(DIALECTS)
        assert set(row.targets) <= hosts
