"""Adversarial cases: each says what a breach looks like, and requires its absence."""

from judgekit.adversarial.effects import NoEffect, should_have_no_effect
from judgekit.adversarial.gating import adversarial_gate
from judgekit.adversarial.patterns import (
    card_number_in_note,
    direct_injection,
    fiction_framing,
    injection_through_tool_result,
    planted,
    role_play_coercion,
    should_refuse,
    system_prompt_leak,
)
from judgekit.adversarial.wrapping import WRAPPERS, wrapped

__all__ = [
    "WRAPPERS",
    "NoEffect",
    "adversarial_gate",
    "card_number_in_note",
    "direct_injection",
    "fiction_framing",
    "injection_through_tool_result",
    "planted",
    "role_play_coercion",
    "should_have_no_effect",
    "should_refuse",
    "system_prompt_leak",
    "wrapped",
]
