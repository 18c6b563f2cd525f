"""Prompt files: find, load, check, render once, hash."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.errors import InvalidArgument

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["Prompt", "find_prompt", "head_and_body", "load_prompt", "parse_prompt", "prompt_names"]

_HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_PART = re.compile(r"^# (System|User)[ \t]*$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*")


@dataclass(frozen=True)
class Prompt:
    """One prompt file, checked.

    Attributes:
        name: Its path under the prompts folder without the suffix, such as `judge/score`.
        version: As its head says; raise it with every change of meaning.
        schema: The verdict schema that it asks for.
        variables: What its text may use, as its head declares it.
        system: How to judge. It holds no variable, so tested text cannot get into it.
        user: The template of the question.
        hash: Twelve hex digits over the file's text.
    """

    name: str
    version: str
    schema: str
    variables: frozenset[str]
    system: str
    user: str
    hash: str
    _compiled: list[Template] = field(default_factory=list, repr=False, compare=False)

    @property
    def identity(self) -> str:
        """Name, version and hash in one text, as results record it."""
        return f"{self.name} {self.version} {self.hash}"

    def render_user(self, values: Mapping[str, Any]) -> str:
        """The user message. The template is rendered once; the values are data and never templates."""
        if not self._compiled:
            self._compiled.append(_environment().from_string(self.user))
        text: str = self._compiled[0].render({name: values[name] for name in self.variables})
        return text.strip()


def _environment() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def load_prompt(name: str, *, folder: str | Path | None = None) -> Prompt:
    """Load a prompt by name, from the user's folder where it has it, else from ours.

    Args:
        name: Such as `judge/score`; or the path of a Markdown file, ending in `.md`.
        folder: A folder laid over ours.

    Raises:
        InvalidArgument: It is in neither place, or the file is not a prompt.
    """
    if name.endswith(".md"):
        return parse_prompt(Path(name).stem, _read(Path(name)), origin=name)
    place = find_prompt(name, folder=folder)
    return parse_prompt(name, _read(place), origin=str(place))


def find_prompt(name: str, *, folder: str | Path | None = None) -> Traversable:
    """Where the prompt `name` stands: the user's folder, the installed package, or the checkout.

    Raises:
        InvalidArgument: It is in none of them; every place is named.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArgument(
            f"`prompt` must be a name such as 'judge/score' or the path of a .md file, got {name!r}"
        )
    places = [root.joinpath(*f"{name}.md".split("/")) for root in _roots(folder)]
    for place in places:
        if place.is_file():
            return place
    looked = [*map(str, places), *_refused_checkout()]
    raise InvalidArgument(f"there is no prompt {name!r}; looked for {' and '.join(looked)}")


def prompt_names(*, folder: str | Path | None = None) -> tuple[str, ...]:
    """Every prompt's name, sorted."""
    found: set[str] = set()
    for root in _roots(folder):
        if root.is_dir():
            found.update(_names_under(root, ""))
    return tuple(sorted(found))


def _names_under(place: Traversable, prefix: str) -> list[str]:
    names: list[str] = []
    for child in place.iterdir():
        if child.is_dir():
            names.extend(_names_under(child, f"{prefix}{child.name}/"))
        elif child.name.endswith(".md"):
            names.append(prefix + child.name.removesuffix(".md"))
    return names


def _roots(folder: str | Path | None) -> list[Traversable]:
    roots: list[Traversable] = [] if folder is None else [Path(folder)]
    roots.append(resources.files("judgekit").joinpath("_prompts"))
    if not _refused_checkout():
        roots.append(_checkout() / "prompts")
    return roots


def _checkout() -> Path:
    return Path(__file__).parents[2]


def _refused_checkout() -> list[str]:
    # A stranger's `prompts` folder beside an installed package is not ours; a checkout has a pyproject.toml.
    folder = _checkout()
    if folder.joinpath("pyproject.toml").is_file():
        return []
    return [f"{folder / 'prompts'} (not a checkout: no pyproject.toml beside it)"]


def _read(place: Traversable) -> str:
    try:
        return place.read_text(encoding="utf-8").removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"the prompt file {place} cannot be read: {error}") from error


@functools.lru_cache(maxsize=256)
def parse_prompt(name: str, text: str, *, origin: str = "") -> Prompt:
    """Check the text of a prompt file.

    Raises:
        InvalidArgument: What is wrong with the file, which `origin` names.
    """
    where = f"the prompt {origin or name}"
    text = text.replace("\r\n", "\n")
    head, body = head_and_body(text, where)
    unknown = sorted(set(head) - {"version", "schema", "variables"})
    if unknown:
        raise InvalidArgument(f"{where}: its head has {unknown[0]!r}; known are version, schema, variables")
    variables = _variables(head, where)
    system, user = _parts(body, where)
    _check_templates(where, system, user, variables)
    return Prompt(
        name=name,
        version=_text(head, "version", where),
        schema=_text(head, "schema", where),
        variables=variables,
        system=system,
        user=user,
        hash=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12],
    )


def head_and_body(text: str, where: str) -> tuple[dict[str, Any], str]:
    """Split Markdown into its YAML head and the rest.

    Raises:
        InvalidArgument: There is no head, or it is not YAML with each key once.
    """
    found = _HEAD.match(text)
    if not found:
        raise InvalidArgument(
            f"{where} has no head; begin with `---`, then version, schema, variables, `---`"
        )
    head = _yaml(found[1], where)
    if not isinstance(head, dict):
        raise InvalidArgument(f"{where}: its head must hold `key: value` lines, got {head!r}")
    return head, text[found.end() :]


def _yaml(text: str, where: str) -> Any:
    import yaml

    class UniqueKeys(yaml.SafeLoader):
        """PyYAML keeps the last of two equal keys in silence."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            repeated = [key for index, key in enumerate(keys) if key in keys[:index]]
            if repeated:
                raise InvalidArgument(f"{where}: its head has {repeated[0]!r} twice")
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, UniqueKeys)  # noqa: S506 - a subclass of SafeLoader
    except yaml.YAMLError as error:
        raise InvalidArgument(f"{where}: its head is not YAML: {error}") from error


def _text(head: Mapping[str, Any], key: str, where: str) -> str:
    value = head.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise InvalidArgument(f"{where}: its head needs `{key}`, got {value!r}")
    return str(value).strip()


def _variables(head: Mapping[str, Any], where: str) -> frozenset[str]:
    value = head.get("variables")
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidArgument(f"{where}: its head needs `variables`, a list of names, got {value!r}")
    return frozenset(value)


def _parts(body: str, where: str) -> tuple[str, str]:
    pieces = _PART.split(body)
    if pieces[1::2] != ["System", "User"] or pieces[0].strip():
        raise InvalidArgument(f"{where} must hold one `# System` part and then one `# User` part")
    system, user = pieces[2].strip(), pieces[4].strip()
    if not system or not user:
        raise InvalidArgument(f"{where}: its {'System' if not system else 'User'} part is blank")
    return system, user


def _check_templates(where: str, system: str, user: str, variables: frozenset[str]) -> None:
    from jinja2 import TemplateError, meta

    if any(sign in system for sign in ("{{", "{%", "{#")):
        raise InvalidArgument(
            f"{where}: its System part must be plain text without variables, so that no tested text gets in"
        )
    environment = _environment()
    try:
        used = meta.find_undeclared_variables(environment.parse(user))
    except TemplateError as error:
        raise InvalidArgument(f"{where}: its User part is not a template: {error}") from error
    if used != variables:
        undeclared, unused = sorted(used - variables), sorted(variables - used)
        what = (
            f"uses {undeclared} without declaring it"
            if undeclared
            else f"declares {unused} and never uses it"
        )
        raise InvalidArgument(f"{where}: its User part {what} in `variables`")
