"""The reference is what the docstrings make of it, names every public name, and reads as it was written."""

import html
import importlib.util
import re
from pathlib import Path

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgekit
from judgekit import evaluators, statistics, testing

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "docs" / "reference"
COMMAND = "python docs/make_reference.py"


@pytest.fixture(scope="module")
def maker():
    """The script that writes the reference."""
    spec = importlib.util.spec_from_file_location("make_reference", REPOSITORY / "docs" / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(maker):
    return maker.pages()


def test_the_reference_is_made_from_the_docstrings_as_they_are(pages):
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    changed = sorted(name for name in kept.keys() | pages.keys() if kept.get(name) != pages.get(name))
    assert not changed, f"{', '.join(changed)}: write the reference anew with `{COMMAND}`"


def test_the_command_writes_the_pages_and_removes_old_ones(maker, pages, tmp_path):
    (tmp_path / "old.md").write_text("x", encoding="utf-8")
    maker.write(tmp_path)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == pages


def test_every_public_name_has_an_entry(pages):
    entries = set(re.findall(r"^### `(\w+)`$", "\n".join(pages.values()), re.MULTILINE))
    for names in (judgekit.__all__, evaluators.__all__, statistics.__all__, testing.__all__):
        assert set(names) <= entries


def test_every_page_is_linked_and_the_index_of_the_docs_links_to_them(pages):
    linked = set(re.findall(r"\]\((\w+\.md)\)", pages["index.md"]))
    assert linked == pages.keys() - {"index.md"}
    assert "](reference/index.md)" in (REPOSITORY / "docs" / "index.md").read_text(encoding="utf-8")


def test_nothing_in_it_depends_on_a_process_or_a_place(pages):
    for text in pages.values():
        assert " at 0x" not in text
        assert "<factory>" not in text
        assert "ForwardRef" not in text
        assert str(REPOSITORY) not in text


def shown(markdown):
    """What a reader sees of Markdown."""
    made = cmarkgfm.github_flavored_markdown_to_html(markdown)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", made)).split())


@pytest.mark.parametrize(
    "text",
    [
        "`K / (1 + (K - 1) * icc)` runs, n * (a * b) of <T> and [x](y)",
        "_private and private_ and in_word, __all__",
        "costs $0.20 or $3, a & b, &lt; stays, ~~no~~",
        "# no heading",
        r"a backslash \x1b and \* two",
    ],
)
def test_prose_reads_as_it_was_written(maker, text):
    assert shown(maker.escaped(text)) == " ".join(text.replace("`", "").split())


@given(text=st.text("ab*_<>[]()&$~\\# \n", max_size=40))
def test_no_prose_is_lost_or_becomes_something_else(maker, text):
    plain = re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE).strip()
    assert shown(maker.escaped(plain)) == " ".join(plain.split())


def test_sections_become_lists_and_code_stays_code(maker):
    text = """What it is.

        code_of(*it)

    Args:
        first: It goes on
            in a second line, a * b.
        *rest: More.

    Returns:
        What comes
        out.

    Raises:
        ValueError: Never.
    """
    import inspect

    assert maker.markdown(inspect.cleandoc(text)).splitlines() == [
        "What it is.",
        "",
        "    code_of(*it)",
        "",
        "**Args**",
        "",
        "- `first`: It goes on in a second line, a \\* b.",
        "- `*rest`: More.",
        "",
        "**Returns**",
        "",
        "What comes",
        "out.",
        "",
        "**Raises**",
        "",
        "- `ValueError`: Never.",
    ]


def test_signatures_say_what_is_keyword_only_and_never_where_an_object_stands(maker):
    def written(a, /, b: int = 1, *, c: "str | None" = None, d=object()) -> "list[int]": ...  # noqa: B008

    def gathered(*items: str, last: bool, **options: int): ...

    assert maker._signature("written", written) == (
        "```text\nwritten(a, /, b: int = 1, *, c: str | None = None, d = ...) -> list[int]\n```"
    )
    assert maker._signature("gathered", gathered) == (
        "```text\ngathered(*items: str, last: bool, **options: int)\n```"
    )
