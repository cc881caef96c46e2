"""Each repair of a message list, as data in and data out."""

import pytest

from adapters.history import HistoryRules, adapt
from adapters.model import Media, Message, Opaque, Reasoning, Refusal, Text, ToolCall, ToolResult
from adapters.tools import ids


def user(*texts):
    return Message("user", tuple(Text(text) for text in texts))


def says(*parts):
    return Message("assistant", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def call(call_id, name="f", arguments="{}"):
    return ToolCall(call_id, name, arguments)


def result(call_id, text="ok", **more):
    return ToolResult(call_id, (Text(text),), name="f", **more)


def tool(*results):
    return Message("tool", results)


def system(text):
    return Message("system", (Text(text),))


MISSING = ToolResult("c1", (Text("(no result)"),), is_error=True, name="f")
IMAGE = Media("image", mime="image/png", data="AAAA")
SIGNED = Reasoning("hm", api="a", origin="p/x", signature="s")

ROWS = [
    ("nothing to do", HistoryRules(), [user("a"), says("b"), user("c")], [user("a"), says("b"), user("c")]),
    (
        "results of one turn in one message, in call order",
        HistoryRules(),
        [says(call("c1"), call("c2")), tool(result("c2", "2")), tool(result("c1", "1"))],
        [says(call("c1"), call("c2")), tool(result("c1", "1"), result("c2", "2"))],
    ),
    (
        "a missing result is a placeholder",
        HistoryRules(),
        [says(call("c1")), user("go")],
        [says(call("c1")), tool(MISSING), user("go")],
    ),
    (
        "a result that sits later is moved to its call",
        HistoryRules(),
        [says(call("c1")), user("wait"), tool(result("c1"))],
        [says(call("c1")), tool(result("c1")), user("wait")],
    ),
    (
        "of several results the last one counts",
        HistoryRules(),
        [says(call("c1")), tool(result("c1", "old"), result("c1", "new"))],
        [says(call("c1")), tool(result("c1", "new"))],
    ),
    (
        "a result without its call is told as text",
        HistoryRules(),
        [user("a"), tool(result("zz", "lost"))],
        [user("a"), user("[Result of a tool call that is not in this conversation, id zz]", "lost")],
    ),
    (
        "results without ids go by name, then by order",
        HistoryRules(),
        [
            says(call("", "f"), call("null", "g")),
            tool(ToolResult("", (Text("G"),), name="g"), ToolResult("", (Text("F"),))),
        ],
        [
            says(call("call_x", "f"), call("call_y", "g")),
            tool(ToolResult("call_x", (Text("F"),), name="f"), ToolResult("call_y", (Text("G"),), name="g")),
        ],
    ),
    (
        "blank texts and empty messages are dropped",
        HistoryRules(),
        [user("", " "), user("a", ""), says("\n"), says(Refusal(" ")), says(Refusal("No."))],
        [user("a"), says(Refusal("No."))],
    ),
    ("blank texts stay where they may", HistoryRules(drop_blank=False), [user(""), says("")], [user(""), says("")]),
    (
        "an empty result gets words",
        HistoryRules(),
        [says(call("c1")), tool(ToolResult("c1", (), name="f"))],
        [says(call("c1")), tool(result("c1", "(no output)"))],
    ),
    (
        "media leave a result",
        HistoryRules(images_in_results=False),
        [says(call("c1")), tool(ToolResult("c1", (Text("see"), IMAGE), name="f"))],
        [
            says(call("c1")),
            tool(result("c1", "see")),
            Message("user", (Text("Attached to the result of f (call c1):"), IMAGE)),
        ],
    ),
    (
        "a result of media alone keeps words",
        HistoryRules(images_in_results=False),
        [says(call("c1")), tool(ToolResult("c1", (IMAGE,), name="f"))],
        [
            says(call("c1")),
            tool(result("c1", "(see the attachment that follows)")),
            Message("user", (Text("Attached to the result of f (call c1):"), IMAGE)),
        ],
    ),
    (
        "later system messages stay",
        HistoryRules(),
        [system("s"), user("a"), system("t")],
        [system("s"), user("a"), system("t")],
    ),
    (
        "later system messages become the user's",
        HistoryRules(later_system="user"),
        [system("s"), user("a"), system("t")],
        [system("s"), user("a"), user("<system>\nt\n</system>")],
    ),
    (
        "leading system messages merge",
        HistoryRules(merge_system=True),
        [system("s"), system("t"), user("a")],
        [Message("system", (Text("s"), Text("t"))), user("a")],
    ),
    (
        "neighbours merge",
        HistoryRules(merge_roles=frozenset({"user"})),
        [user("a"), user("b"), says("c"), says("d")],
        [user("a", "b"), says("c"), says("d")],
    ),
    (
        "a user turn comes first",
        HistoryRules(first_user=True),
        [system("s"), says("a")],
        [system("s"), user("."), says("a")],
    ),
    ("a user turn follows the system's", HistoryRules(first_user=True), [system("s")], [system("s"), user(".")]),
    (
        "a bridge after results",
        HistoryRules(user_after_results=False),
        [says(call("c1")), tool(result("c1")), user("go")],
        [says(call("c1")), tool(result("c1")), says("Done."), user("go")],
    ),
    ("no prefill", HistoryRules(prefill="user"), [user("a"), says("b")], [user("a"), says("b"), user(".")]),
    ("reasoning goes", HistoryRules(), [says(SIGNED, "b")], [says("b")]),
    (
        "own signed reasoning stays in place",
        HistoryRules(reasoning="signed"),
        [says("a", SIGNED, "b")],
        [says("a", SIGNED, "b")],
    ),
    (
        "unsigned reasoning goes where signatures count",
        HistoryRules(reasoning="signed"),
        [says(Reasoning("x"), "b")],
        [says("b")],
    ),
    (
        "readable reasoning stays where text counts",
        HistoryRules(reasoning="text"),
        [says(Reasoning("x"), "b")],
        [says(Reasoning("x"), "b")],
    ),
    (
        "another model's reasoning goes",
        HistoryRules(reasoning="signed"),
        [says(Reasoning("x", api="a", origin="p/other", signature="s"), "b")],
        [says("b")],
    ),
    (
        "another API's reasoning goes",
        HistoryRules(reasoning="signed"),
        [says(Reasoning("x", api="z", signature="s"), "b")],
        [says("b")],
    ),
    (
        "another model's call signature goes",
        HistoryRules(),
        [says(ToolCall("c1", "f", "{}", signature="s", origin="p/other")), tool(result("c1"))],
        [says(ToolCall("c1", "f", "{}", origin="p/other")), tool(result("c1"))],
    ),
    (
        "own opaque parts stay, others are told or go",
        HistoryRules(),
        [says(Opaque("a", {"x": 1}), Opaque("z", {}, "seen"), Opaque("z", {}))],
        [says(Opaque("a", {"x": 1}), "seen")],
    ),
]


@pytest.mark.parametrize("rules, given, expected", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_repair(rules, given, expected):
    rule = (
        None
        if any(not part.id or part.id == "null" for m in given for part in m.parts if isinstance(part, ToolCall))
        else ids.CHAT
    )
    adapted, _ = adapt(given, rules, ids.CHAT, "a", "p/x")
    if rule is None:  # made ids: compare by place
        names = dict(
            zip([p.id for m in adapted for p in m.parts if isinstance(p, ToolCall)], ["call_x", "call_y"], strict=True)
        )
        adapted = tuple(Message(m.role, tuple(_named(p, names) for p in m.parts)) for m in adapted)
    assert list(adapted) == expected


def _named(part, names):
    if isinstance(part, ToolCall):
        return ToolCall(names[part.id], part.name, part.arguments)
    if isinstance(part, ToolResult):
        return ToolResult(names[part.call_id], part.content, name=part.name)
    return part


def test_repairs_are_named():
    given = [says(call("c1")), tool(result("zz")), says("x", Reasoning("r", api="z", origin="q/y"), Opaque("z", {}))]
    _, warnings = adapt(given, HistoryRules(prefill="user"), ids.CHAT, "a", "p/x")
    assert len(warnings) == 5 and len(set(warnings)) == 5


def test_an_id_used_in_two_turns_belongs_to_each_turns_result():
    given = [says(call("c1")), tool(result("c1", "first")), says(call("c1")), tool(result("c1", "second"))]
    adapted, _ = adapt(given, HistoryRules(), ids.CHAT, "a", "")
    first, second = adapted[0].parts[0].id, adapted[2].parts[0].id
    assert first != second
    assert adapted[1] == tool(result(first, "first")) and adapted[3] == tool(result(second, "second"))


def test_a_longer_conversation_keeps_its_prefix():
    turns = []
    for n in range(6):
        turns += [
            user(f"q{n}"),
            says(call("", "f", f'{{"n":{n}}}'), call("c1", "f")),
            tool(ToolResult("", (Text("r"),)), result("c1")),
        ]
    whole, _ = adapt(turns, HistoryRules(first_user=True), ids.ANTHROPIC, "a", "")
    for end in range(3, len(turns), 3):
        part, _ = adapt(turns[:end], HistoryRules(first_user=True), ids.ANTHROPIC, "a", "")
        assert whole[: len(part)] == part
