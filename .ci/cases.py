"""Runs the shared failure cases: those of `.ci/cases.txt` must pass, and the list only grows.

    python .ci/cases.py CASES_DIR [--write]
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "cases.txt"


def main() -> int:
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [sys.executable, str(folder / "run_cases.py"), "--report", str(report), "--command",
                   f"{sys.executable} -m proxy serve --config", str(folder)]
        done = subprocess.run(command, cwd=HERE.parent, check=False)
        if not report.exists():
            print(f"the cases did not run (exit status {done.returncode})")
            return 1
        results = json.loads(report.read_text())
    passed = sorted(name for name, problems in results["cases"].items() if not problems)
    known = LIST.read_text().split() if LIST.exists() else []
    lost = sorted(set(known) - set(passed))
    if "--write" in sys.argv:
        LIST.write_text("".join(f"{name}\n" for name in sorted(set(known) | set(passed))))
    for name in lost:
        print(f"no longer passes: {name}")
    for name in sorted(set(passed) - set(known)):
        print(f"passes now, add it to .ci/cases.txt: {name}")
    listed = f"{len(known) - len(lost)} of {len(known)} listed cases pass"
    print(f"{listed}, {len(passed)} of {len(results['cases'])} in all")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
