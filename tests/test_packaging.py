"""Judgekit as people install it: from wheel and sdist, in place, zipped; and what the archives hold."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PROMPTS = sorted(path.name for path in (REPOSITORY / "prompts" / "judge").glob("*.md"))

# Run in a folder without judgekit in it: what is imported is what is installed.
PROBE = """
import json, judgekit
from pathlib import Path
from judgekit.judging.prompts import load_prompt
prompt = load_prompt("judge/score")
print(json.dumps({
    "package": judgekit.__file__, "version": judgekit.__version__, "prompt": prompt.name, "hash": prompt.hash,
}))
"""


def run(*command, cwd, **environment):
    """Run a command away from the checkout and without its paths."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
    words = [str(word) for word in command]
    full = {**clean, **environment}
    return subprocess.run(words, cwd=cwd, env=full, capture_output=True, text=True, check=False)


def succeed(*command, cwd, **environment):
    done = run(*command, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The folder with the sdist, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    succeed(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, REPOSITORY, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    return next(dist.glob("*.whl"))


@pytest.fixture
def home(tmp_path):
    """A fresh virtual environment that sees the dependencies of this one, but no judgekit."""
    folder = tmp_path / "home"
    venv.create(folder, symlinks=True)
    found = [path for path in sys.path if path.endswith("site-packages")]
    # Paths in a .pth file are not searched for .pth files, so an editable judgekit here stays unseen.
    (packages_of(folder) / "dependencies.pth").write_text("\n".join(found), encoding="utf-8")
    return folder


def packages_of(folder):
    return next((folder / "lib").glob("python*/site-packages"))


def install(home, *what):
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    succeed(
        sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", *options, *what, cwd=home
    )


def probe(python, cwd, **environment):
    return json.loads(succeed(python, "-c", PROBE, cwd=cwd, **environment))


def checkout_hash():
    from judgekit.judging.prompts import load_prompt

    return load_prompt("judge/score").hash


def test_a_wheel_built_from_the_sdist_finds_its_prompts(home, wheel, tmp_path):
    install(home, wheel)
    found = probe(home / "bin" / "python", tmp_path)
    assert Path(found["package"]).is_relative_to(packages_of(home))
    assert found["hash"] == checkout_hash()


def test_a_wheel_built_from_the_checkout_holds_the_same_files(dist, wheel, tmp_path):
    options = ["--wheel", "--no-isolation", "--outdir", tmp_path]
    succeed(sys.executable, "-m", "build", *options, REPOSITORY, cwd=tmp_path)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as direct, zipfile.ZipFile(wheel) as indirect:
        assert sorted(direct.namelist()) == sorted(indirect.namelist())


def test_an_editable_install_reads_the_prompts_of_the_checkout(home, tmp_path):
    install(home, "--editable", REPOSITORY)
    found = probe(home / "bin" / "python", tmp_path)
    assert Path(found["package"]).is_relative_to(REPOSITORY)
    assert found["hash"] == checkout_hash()


def test_a_zipped_wheel_on_the_path_finds_its_prompts(wheel, tmp_path):
    found = probe(sys.executable, tmp_path, PYTHONPATH=str(wheel))
    assert found["package"].startswith(str(wheel))
    assert found["hash"] == checkout_hash()


def test_a_folder_of_a_stranger_is_never_read_for_prompts(home, wheel, tmp_path):
    install(home, wheel)
    packages = packages_of(home)
    (packages / "judgekit" / "_prompts").rename(packages / "prompts")
    done = run(home / "bin" / "python", "-c", PROBE, cwd=tmp_path)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert str(packages / "judgekit" / "_prompts") in last
    assert str(packages / "prompts") in last


def test_the_installed_command_runs_a_suite_from_any_folder(home, wheel, tmp_path):
    install(home, wheel)
    (tmp_path / "suite.py").write_text(
        "from judgekit import EvalCase, ExperimentRunner\n"
        "experiment = ExperimentRunner('t').cases([EvalCase('a', 'hi')]).agent(lambda command: command)\n",
        encoding="utf-8",
    )
    shown = succeed(home / "bin" / "judgekit", "run", "suite.py", cwd=tmp_path)
    assert shown.startswith("1 case, 1 run: 1/1 attempt passed (100%)")


def test_the_wheel_holds_the_package_its_prompts_and_its_licence_and_no_more(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"judgekit", "judgekit_evals"}
    assert "judgekit/py.typed" in names
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert PROMPTS
    assert {f"judgekit/_prompts/judge/{name}" for name in PROMPTS} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_sdist_holds_what_a_packager_needs(dist):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "tests/test_packaging.py"}
    assert needed <= names
    assert {f"prompts/judge/{name}" for name in PROMPTS} <= names
    assert not [name for name in names if name.startswith((".ci/venv", ".venv", ".judgekit"))]


def test_the_metadata_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
        entry_points = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert metadata["Name"] == "judgekit-evals"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "judgekit = judgekit.cli:main" in entry_points
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    names = {line.split(";")[0].split(">")[0].split("!")[0].strip() for line in needed}
    assert {"litellm", "pydantic", "tenacity", "jsonschema", "click", "rich"} <= names


def test_the_two_poisoned_releases_of_litellm_are_excluded(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("METADATA"))
        text = archive.read(name).decode()
    line = next(line for line in text.splitlines() if line.startswith("Requires-Dist: litellm"))
    assert "!=1.82.7" in line
    assert "!=1.82.8" in line


def test_a_wheel_holds_what_the_html_report_is_made_of(wheel):
    folder = REPOSITORY / "judgekit" / "reporting" / "html"
    parts = [path for path in folder.iterdir() if path.suffix in (".j2", ".css", ".js")]
    assert {path.name for path in parts} >= {
        "report.html.j2",
        "page.css",
        "page.js",
        "history.html.j2",
        "history.css",
    }
    with zipfile.ZipFile(wheel) as archive:
        for path in parts:
            name = path.relative_to(REPOSITORY).as_posix()
            assert archive.read(name) == path.read_bytes()
