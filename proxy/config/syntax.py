"""What a YAML parser's error means to who wrote the file: what is wrong, where, what to do, and the line itself."""

import re

from ruamel.yaml.error import MarkedYAMLError

Mark = tuple[int, int]
"""Line and column, from 1."""

_SHOWN = 100
"""Characters of a line that are shown."""

_SECRET = re.compile(r"(?i)((?:key|token|secret|password|authorization)\w*[\"']?\s*:\s*)(?![\"']?\$\{)([^\s,{}\[\]]+)")
_LONG = re.compile(r"(?=[\w+/=-]*?(?=[a-zA-Z0-9]{8})[a-zA-Z]*\d+[a-zA-Z])[\w+/=-]{20,}")
"""What may be a key that stands in the file itself: the line goes to logs."""


def told(error: MarkedYAMLError, text: str) -> tuple[str, Mark]:
    """The message, the line under it, and the place."""
    lines = text.splitlines() or [""]
    here = _mark(error.problem_mark or error.context_mark)
    began = _mark(error.context_mark) if error.context_mark else here
    message, place = _meaning(str(error.context or ""), str(error.problem), here, began, lines)
    return message + _shown(lines, place), place


def _meaning(context: str, problem: str, here: Mark, began: Mark, lines: list[str]) -> tuple[str, Mark]:
    closing = "}" if "mapping" in context else "]"
    opening = "{" if closing == "}" else "["
    match context, problem:
        case _, _ if "'\\t'" in problem:
            return "a tab cannot indent in YAML: use spaces", here
        case _, "mapping values are not allowed here":
            return _colon(here, lines), here
        case _, "could not find expected ':'":
            return 'this is neither "key: value" nor "- item": a colon or the space after ":" or "-" is missing', began
        case _, _ if problem.startswith("expected <block end>"):
            return _block(problem, here, began, lines), here
        case _, "found unexpected end of stream":
            return "this quote is not closed", began
        case _, _ if problem.startswith("expected ',' or") and "<stream end>" in problem:
            return f'this "{opening}" is not closed: "{closing}" is missing', began
        case _, _ if problem.startswith("expected ',' or") and lines[here[0] - 1][: here[1] - 1].endswith("$"):
            return 'quote a reference within { } and [ ]: "${NAME}"', here
        case _, _ if problem.startswith("expected ',' or"):
            where = f"line {began[0]}, column {began[1]}"
            return f'"," or "{closing}" is missing before this (the "{opening}" is in {where})', here
        case _, _ if found := re.fullmatch("expected the node content, but found '(.+)'", problem):
            return f'a value is expected here, not "{found[1]}"', here
        case ("while scanning a block scalar" | "while scanning a tag" | "while scanning an alias"
              | "while scanning an anchor" | "while parsing a node"), _:
            return f'a text that begins with "{lines[began[0] - 1][began[1] - 1]}" must be quoted', began
        case _, _ if problem.startswith("found undefined alias"):
            return 'a text that begins with "*" must be quoted', here
        case _, _ if found := re.fullmatch("found character '(.)' that cannot start any token", problem):
            return f'a text that begins with "{found[1]}" must be quoted', here
        case _, _ if found := re.fullmatch("found unknown escape character '(.)'", problem):
            return f'double quotes know no "\\{found[1]}": write \\\\ for a backslash, or use single quotes', here
        case "expected a single document in the stream", _:
            return 'a second document begins here: one file is one, take out the "---"', here
    return f"{context}: {problem}" if context else problem, here


def _colon(here: Mark, lines: list[str]) -> str:
    """Why a `:` cannot stand where it stands."""
    line, column = here
    if re.search(r":\s", lines[line - 1][: column - 1]):
        return "a second colon in this line: quote a value that contains a colon and a space"
    above = next((number for number in range(line - 1, 0, -1) if lines[number - 1].split("#")[0].strip()), 0)
    content = lines[above - 1].strip() if above else ""
    if re.match(r"(- +)?[^\s:]+: +\S", content):
        return f"this line is indented too far: line {above} has a value already, so that nothing can stand within it"
    if re.match(r"(- +)?[^\s:]+:\S", content):
        return f"a space is missing after the colon in line {above}"
    if above:
        return f'a colon is missing in line {above}: a key is written "key:"'
    return "a key is missing before this colon"


def _block(problem: str, here: Mark, began: Mark, lines: list[str]) -> str:
    if found := re.search("but found '([]}])'", problem):
        return f'this "{found[1]}" closes nothing: take it out'
    if lines[here[0] - 1][: here[1] - 1].strip():
        return "this cannot follow on what is before it in the line: a comma, a quote or a new line is missing"
    fits: list[str] = []
    least = _SHOWN
    for number in range(here[0] - 1, 0, -1):
        column = len(lines[number - 1]) - len(lines[number - 1].lstrip()) + 1
        if lines[number - 1].split("#")[0].strip() and began[1] <= column < least:
            fits.append(f"in column {column} as line {number}")
            least = column
    where = " or ".join(fits) or f"in column {began[1]} as line {began[0]}"
    return f"the indentation fits no block: this begins in column {here[1]}; begin {where}"


def _shown(lines: list[str], place: Mark) -> str:
    """The line, and a mark under the column."""
    line, column = place
    if not 0 < line <= len(lines) or column > _SHOWN:
        return ""
    shown = _SECRET.sub(lambda found: found[1] + "*" * len(found[2]), lines[line - 1].replace("\t", " "))
    shown = _LONG.sub(lambda found: "*" * len(found[0]), shown)[:_SHOWN]
    return f"\n  {line} | {shown}\n  {' ' * len(str(line))} | {' ' * (column - 1)}^"


def _mark(mark: object) -> Mark:
    line: int = getattr(mark, "line", 0)
    column: int = getattr(mark, "column", 0)
    return line + 1, column + 1
