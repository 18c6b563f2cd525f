"""The agent of suite.yaml: a front desk that knows its hours and one order."""

from typing import Any


def answer(command: str) -> list[dict[str, Any]]:
    asked = {"role": "user", "content": command}
    if "o_42" not in command:
        hours = "We are open from 9 to 17, Monday to Friday."
        return [
            asked,
            {"role": "assistant", "content": f"No. {hours}" if "Sunday" in command else hours},
        ]
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "getOrder", "arguments": '{"orderId": "o_42"}'},
    }
    return [
        asked,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '{"status": "shipped"}'},
        {"role": "assistant", "content": "Your order o_42 has been shipped."},
    ]
