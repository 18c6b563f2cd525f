"""No secret of the list is in a file that a recorder writes, wherever it stood; no look-alike is lost."""

import json
from pathlib import Path

import pytest

from judgekit import Interaction, ToolCall
from judgekit.replay import Recorder, load_recordings

LISTS = Path(__file__).parents[1] / "redaction"
SECRETS = json.loads((LISTS / "secrets.json").read_text(encoding="utf-8"))
LOOK_ALIKES = json.loads((LISTS / "look_alikes.json").read_text(encoding="utf-8"))


def turn(text, halves):
    """A turn that holds the text in every place of a recording."""
    nested = json.dumps({"deep": json.dumps([text])})
    return Interaction(
        command_text=f"asked {text}",
        reply=f"said {text}",
        tool_calls=[
            ToolCall("f", {"plain": text, "list": {"of": [text]}, "json": nested}, {"found": text}),
            ToolCall("g", f"no json {text}", nested),
            ToolCall("h", {"halves": halves}, error=f"refused {text}"),
        ],
    )


def talk(halves):
    """A conversation in which both sides spread the text over two messages."""
    first, second = halves
    return Interaction(
        tool_calls=[],
        messages=[
            {"role": "user", "content": f"It is {first}"},
            {"role": "assistant", "content": f"You said {first}"},
            {"role": "user", "content": f"{second} is the rest"},
            {"role": "assistant", "content": f"{second} it was"},
        ],
    )


@pytest.mark.parametrize(
    ("kind", "secret"), [(kind, secret) for kind, listed in SECRETS.items() for secret in listed]
)
def test_a_secret_is_in_no_line_of_the_file(tmp_path, kind, secret):
    halves = [secret[: len(secret) // 2], secret[len(secret) // 2 :]]
    recorder = Recorder()
    recorder.add(turn(secret, halves), id=f"case {secret}")
    recorder.add(talk(halves))
    path = recorder.write(tmp_path / "calls.jsonl")
    text = path.read_text(encoding="utf-8")
    assert secret not in text
    assert json.dumps(secret)[1:-1] not in text
    one, several = map(json.loads, text.splitlines())
    assert one["toolCalls"][2]["arguments"]["halves"][0].startswith(f"[{kind} ")
    assert kind == "email" or halves[1] not in one["toolCalls"][2]["arguments"]["halves"]
    assert several["turns"][0]["input"].startswith(f"It is [{kind} ")
    assert several["turns"][0]["output"].startswith(f"You said [{kind} ")
    # The rest of a domain whose name was masked tells nothing.
    assert kind == "email" or halves[1] not in json.dumps(several["turns"][1])
    assert set(recorder.masked) == {kind}
    assert len(load_recordings(path)) == 2


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_stays_as_it_is(text):
    recorded, kept = Recorder(), Recorder(redact=False)
    for recorder in (recorded, kept):
        recorder.add(turn(text, [text]), id="a")
    assert recorded.lines() == kept.lines()
    assert recorded.masked == {}
