"""What refusals say, word for word. Run this file to write the texts anew, and read the diff."""

import re
import warnings
from pathlib import Path

import pytest
from golden.programs import PROGRAMS

import morula

TEXTS = Path(__file__).parent / "golden" / "refusals.txt"
HERE = Path(__file__).parent
VALUES = (morula.ResultError, morula.SeedError)  # about what a function returns, which is at no line of it
WAYS_OUT = (
    "use ", "take ", "call ", "write ", "pass ", "make ", "fix ", "declare ", "solve ", "return ", "reduce ", "keep ",
    "draw ", "subtract ", "compute ", "index ", "copy", "instead", "cannot", "not implemented", "would lose",
    "its attributes are constants", "did not converge", "not supported", "a preconditioner is a constant", "has shape",
    "it computes a statistic", "must return", "may be",
)  # fmt: skip


def refusal(f, args):
    """The text of the error, with its notes, as it is printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = morula.gradient(f, *args)
        except morula.MorulaError as error:
            lines = [f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]
            text = "\n".join(lines).replace(str(HERE) + "/", "")
            text = re.sub(r"/\S*/(site-packages|lib/python3\.\d+)/", "", text)
            text = re.sub(r"\.py, line \d+", ".py, line N", text)
            return re.sub(r"\(line \d+\)", "(line N)", text)
    raise AssertionError(f"{f.__name__} is not refused: {found}")


def written():
    parts = re.split(r"^== (\w+)\n", TEXTS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_the_text(f, args):
    text = refusal(f, args)
    first, *notes = text.splitlines()
    if not first.startswith(tuple(e.__name__ for e in VALUES)):
        assert any(n.startswith("  at golden/programs.py, line N, in ") for n in notes), "the line of the user"
    assert "morula/" not in text.replace("golden/", ""), "a frame of the engine"
    assert any(way in text.lower() for way in WAYS_OUT), "what to do"
    inner = [line for line in notes if line.startswith("  inside it at ")]
    wanted = written()[f.__name__]
    if inner:  # the line of a library is that of its version
        text, wanted = (t.split("\n  inside it at ")[0] for t in (text, wanted))
    assert text == wanted


def test_there_are_sixty_of_them():
    assert len(PROGRAMS) >= 60
    assert list(written()) == [f.__name__ for f, _ in PROGRAMS]


if __name__ == "__main__":
    TEXTS.write_text("\n\n".join(f"== {f.__name__}\n{refusal(f, args)}" for f, args in PROGRAMS) + "\n", "utf-8")
