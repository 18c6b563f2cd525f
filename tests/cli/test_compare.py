"""`judgekit compare BASELINE NEW`: two runs of a suite, before and after."""

import json
from html.parser import HTMLParser

import pytest

from judgekit.testing import verdict

SUITE = """
import os
from judgekit import Criterion, EvalCase, ExperimentRunner, Judge, Verdict
from judgekit.evaluators import reply_should_contain

class Kind:
    async def decide(self, criterion, interaction):
        return Verdict(0.9, "kind")

class Harsh:
    async def decide(self, criterion, interaction):
        return Verdict(0.2, "cold")

def judge_of(name):
    if name in ("Kind", "Harsh"):
        return {"Kind": Kind, "Harsh": Harsh}[name]()
    return Judge("openai/old", api_base=name, api_key="secret-old")

polite = Criterion(
    judge=judge_of(os.environ["JUDGE"]), criterion="The reply is polite", threshold=0.7, name="polite"
)

def agent(command):
    return command if int(command) < int(os.environ["GOOD"]) else os.environ.get("BAD", "nothing")

cases = [
    EvalCase(f"<b>doc {n // 5}</b> \\x1b[31m{n}", str(n), reply_should_contain(str(n)), polite,
             tags=[f"doc-{n // 5}", "long"])
    for n in range(20)
]
experiment = ExperimentRunner("shop").cases(cases).agent(agent)
"""


class Text(HTMLParser):
    """The elements of a page, and its text without scripts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.words, self._raw = set(), [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self._raw = tag in ("script", "style")

    def handle_data(self, data):
        if not self._raw:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def run(judgekit):
    """Runs the suite and gives the folder of the run."""
    judgekit.write("suite.py", SUITE)
    folder = judgekit.folder / ".judgekit" / "runs"

    def once(good, judge="Kind", **environment):
        known = set(folder.glob("*"))
        done = judgekit("run", "suite.py", JUDGE=judge, GOOD=str(good), **environment)
        assert done.returncode in (0, 1), done.out + done.err
        (made,) = set(folder.glob("*")) - known
        return made

    return once


def test_a_fallen_rate_is_red_and_a_risen_one_is_green(judgekit, run):
    before, after = run(20), run(9)
    done = judgekit("compare", before, after)
    assert (done.returncode, done.err) == (1, "")
    assert done.out.startswith("verdict: REGRESSED — the pass rate of attempts decides\n")
    assert "attempts passed: 1.00 → 0.45  REGRESSED\n" in done.out
    assert "worsened, 11 cases:\n" in done.out
    # RP06: what an id holds moves no terminal.
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 60
    assert judgekit("compare", after, before).returncode == 0


def test_equal_runs_are_equivalent_only_with_a_drop_that_is_allowed(judgekit, run):
    before, after = run(20), run(20)
    done = judgekit("compare", before.name, after.name)
    assert done.returncode == 3
    assert "EQUIVALENT cannot be shown" in " ".join(done.out.split())
    assert judgekit("compare", before, after, "--max-drop", "0.4").returncode == 0


def test_every_format_holds_the_same_verdict(judgekit, run):
    before, after = run(20), run(9, BAD="<img src=x onerror=alert(1)>")
    outputs = [word for name in ("o/a.html", "a.md", "a.json", "a.txt") for word in ("-o", name)]
    done = judgekit("compare", before, after, "--json", *outputs)
    assert done.returncode == 1, done.err
    document = json.loads(done.out)
    assert (document["format"], document["verdict"], document["axis"]) == (
        "judgekit-comparison", "REGRESSED", "agent",
    )  # fmt: skip
    assert json.loads((judgekit.folder / "a.json").read_text(encoding="utf-8")) == document
    page = Text((judgekit.folder / "o" / "a.html").read_text(encoding="utf-8"))
    assert "B against A: REGRESSED" in page.text
    assert "attempts passed 1.00 → 0.45" in page.text
    assert "img" not in page.tags
    markdown = (judgekit.folder / "a.md").read_text(encoding="utf-8")
    assert "| **attempts passed** | 1.00 → 0.45 |" in markdown
    assert "### Worsened: 11 cases" in markdown
    assert (judgekit.folder / "a.txt").read_text(encoding="utf-8").startswith("verdict: REGRESSED")


def test_a_judge_swap_is_about_the_judges_and_both_at_once_is_refused(judgekit, run):
    before, worse, harsh = run(20), run(9), run(20, judge="Harsh")
    done = judgekit("compare", before, harsh)
    assert done.returncode == 1
    said = " ".join(done.out.split())
    assert "changed: the judge, on the same transcripts (Kind → Harsh); not the agent" in said
    assert "the new judge is stricter by 1.00; the transcripts are the same" in said

    done = judgekit("compare", worse, harsh)
    said = " ".join(done.out.split())
    assert done.returncode == 3
    assert said.startswith("verdict: NO VERDICT — agent and judge both changed: re-judge one run")
    assert "reply-contains: 0.45 → 1.00 IMPROVED" in said
    assert "polite: 1.00 → 0.00 NO VERDICT" in said


@pytest.mark.slow
def test_a_run_that_was_judged_again_is_a_judge_swap(judgekit, run, fake_provider):
    kind, cold = fake_provider(verdict(0.9, "kind")), fake_provider(verdict(0.2, "cold"))
    before = run(20, judge=kind.url)
    done = judgekit(
        "rejudge", before, "--judge-model", "openai/new", OPENAI_API_KEY="k", OPENAI_API_BASE=cold.url
    )
    assert done.returncode == 1, done.err
    (rejudged,) = set(before.parent.glob("*")) - {before}
    found = json.loads(judgekit("compare", before, rejudged, "--json").out)
    assert (found["axis"], found["verdict"]) == ("judge", "REGRESSED")
    assert (found["same_transcripts"], found["other_transcripts"]) == (20, 0)
    (polite,) = [one for one in found["evaluators"] if one["name"] == "polite"]
    assert polite["change"]["judge"] == ["model"]
    assert polite["change"]["criterion"] == []


def test_cases_of_one_document_can_be_kept_together(judgekit, run):
    before, after = run(20), run(9)
    done = judgekit("compare", before, after, "--cluster-by", r"doc (\d)", "--json")
    document = json.loads(done.out)
    assert (done.returncode, document["verdict"]) == (3, "UNDERPOWERED")
    assert (document["overall"]["n_clusters"], document["clustered_by"]) == (
        4,
        r"the match of doc (\d)",
    )


def test_cases_of_one_tag_can_be_kept_together(judgekit, run):
    before, after = run(20), run(9)
    by_tag = judgekit("compare", before, after, "--cluster-by", "tag:doc-", "--json")
    by_id = judgekit("compare", before, after, "--cluster-by", r"doc \d", "--json")
    document = json.loads(by_tag.out)
    assert document["clustered_by"] == "the tag doc-..."
    assert document["overall"] == json.loads(by_id.out)["overall"]
    none = judgekit("compare", before, after, "--cluster-by", "tag:persona-")
    assert (none.returncode, none.err) == (
        2,
        "judgekit: --cluster-by tag:persona-: no case has a tag that begins so\n",
    )
    two = judgekit("compare", before, after, "--cluster-by", "tag:")
    assert two.returncode == 2
    assert "has two such tags, doc-0 and long" in two.err


def test_a_report_file_and_a_journal_are_runs_too(judgekit, run):
    before, after = run(20), run(9)
    from_files = judgekit("compare", before / "report.json", after / "journal.jsonl", "--json")
    assert from_files.returncode == 1
    assert json.loads(from_files.out) == json.loads(judgekit("compare", before, after, "--json").out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster-by", "("], "--cluster-by (: this is no regular expression"),
        (["-o", "a.xml"], "a comparison is written by its suffix, one of .html, .htm, .md, .json, .txt"),
        (["--max-drop", "5"], "Invalid value for '--max-drop'"),
        (["--level", "1"], "Invalid value for '--level'"),
    ],
)
def test_a_mistake_is_one_line(judgekit, arguments, said):
    done = judgekit("compare", "a", "b", *arguments)
    assert (done.returncode, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_a_run_that_is_not_there_is_named(judgekit):
    done = judgekit("compare", "a", "b")
    assert done.returncode == 2
    assert done.err.startswith("judgekit: there is no run a; name a folder such as")


def test_a_killed_run_is_compared_as_far_as_it_is(judgekit, run):
    before, after = run(20), run(20)
    journal = after / "journal.jsonl"
    kept = journal.read_bytes().splitlines(keepends=True)[:11]
    journal.write_bytes(b"".join(kept) + b'{"id": "torn')
    done = judgekit("compare", before, after, "--max-drop", "0.3")
    assert done.returncode == 3
    assert "judgekit: warning:" in done.err
    said = " ".join(done.out.split())
    assert "10 missing, counted both ways" in said
    assert "warning: the new run did not come to its end" in said
