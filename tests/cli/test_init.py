"""`judgekit init`: a first suite that runs green at once."""

import ast

import pytest


@pytest.mark.parametrize("file", [None, "evals/my suite.py"])
def test_the_first_suite_is_green_without_a_key(judgekit, file):
    done = judgekit("init", *([file] if file else []))
    assert done.returncode == 0, done.err
    name = file or "suite.py"
    assert (judgekit.folder / name).is_file()
    assert done.out.splitlines()[0] == f"wrote {name}; run it with"
    ran = judgekit("run", name, OPENAI_API_KEY=None)
    assert ran.returncode == 0, ran.err
    assert ran.out.startswith("3 cases, 1 run: 3/3 attempts passed (100%)")
    assert "    polite 3/3" in ran.out


def test_every_check_of_the_first_suite_can_fail(judgekit):
    judgekit("init")
    text = (judgekit.folder / "suite.py").read_text(encoding="utf-8")
    broken = text.replace("Thank you for waiting.", "Calm down.").replace("shipped", "lost")
    judgekit.write("suite.py", broken.replace('"o_42", "lost"', '"o_42", "shipped"'))
    ran = judgekit("run", "suite.py")
    assert ran.returncode == 1
    for line in ("  reply-contains 1/2", "    polite 1/3", "  reply-lacks 0/1"):
        assert line in ran.out


def test_the_first_suite_takes_a_real_judge(judgekit, fake_provider):
    from judgekit.testing import verdict

    judgekit("init")
    provider = fake_provider(verdict(0.9, "kind"))
    ran = judgekit(
        "run", "suite.py", "--judge-model", "openai/m", OPENAI_API_KEY="k", OPENAI_API_BASE=provider.url
    )
    assert ran.returncode == 0, ran.out + ran.err
    assert provider.count == 3


def test_nothing_is_overwritten(judgekit):
    judgekit.write("suite.py", "mine = True\n")
    done = judgekit("init")
    assert done.returncode == 2
    assert len(done.err.splitlines()) == 1
    assert "suite.py is there already" in done.err
    assert (judgekit.folder / "suite.py").read_text() == "mine = True\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", ". is a folder; write suite.py"),
        ("evals", "evals is a folder; write evals/suite.py"),
        ("suite.py/first.py", "suite.py/first.py cannot be written: File exists"),
    ],
)
def test_a_folder_is_no_suite_and_a_file_no_folder(judgekit, name, said):
    judgekit.write("suite.py", "mine = True\n")
    (judgekit.folder / "evals").mkdir()
    done = judgekit("init", name)
    assert done.returncode == 2
    assert done.err == f"judgekit: {said}\n"


def test_a_suite_has_the_suffix_of_python(judgekit):
    done = judgekit("init", "suite.yaml")
    assert done.returncode == 2
    assert "write suite.yaml.py" not in done.err
    assert "suite.py" in done.err


def test_the_first_suite_is_plain_python_without_leftovers(judgekit):
    judgekit("init")
    text = (judgekit.folder / "suite.py").read_text(encoding="utf-8")
    ast.parse(text)
    assert max(map(len, text.splitlines())) <= 110
    assert "TODO" not in text
