"""Scripted models in the place of four real ones: two desks and two judges that really differ."""

import re

from judgekit import Judge, Price
from judgekit.testing import ScriptedModel, Turn, otherwise, verdict

ORDER = re.compile(r"o_\d+")
WARM = re.compile(r"sorry|thank you", re.IGNORECASE)
NEXT = re.compile(r"within two days|by Friday|write to you", re.IGNORECASE)


def _order(turn: Turn) -> str:
    return str(ORDER.findall(turn.text)[0])


def _thrifty(turn: Turn) -> str:
    """Short and cheap: a word of comfort only for the polite, and no order where the customer is angry."""
    if "!" in turn.text:
        return "It is on its way."
    thanks = "Thank you for asking. " if "you" in turn.text else ""
    return f"{thanks}Order {_order(turn)} is on its way and will be there by Friday."


def _generous(turn: Turn) -> str:
    """Warm and complete, and long where the customer is angry."""
    order = _order(turn)
    reply = f"I am sorry about order {order}. I have asked the warehouse and write to you within two days."
    if "!" not in turn.text:
        return reply
    return (
        f"Thank you for telling us about it, and for your patience. {reply} If it is lost we send you a new "
        "one at once, and you pay nothing for it, neither for the order nor for the way that it has to go."
    )


def _reply(turn: Turn) -> str:
    """The part of a judge's question that is to be judged."""
    return turn.text.rpartition("which you judge:")[2]


def _strict(turn: Turn) -> dict[str, object]:
    """Wants warmth, a next step, and few words."""
    reply = _reply(turn)
    if "brief" in turn.text:
        return verdict(
            0.9 if len(reply) < 200 else 0.3, "few words" if len(reply) < 200 else "too many words"
        )
    warm, comes = bool(WARM.search(reply)), bool(NEXT.search(reply))
    return verdict(0.1 + 0.4 * warm + 0.4 * comes, f"warm: {warm}, says what comes next: {comes}")


def _kind(turn: Turn) -> dict[str, object]:
    """Likes almost everything, and takes length for care."""
    reply = _reply(turn)
    if "brief" in turn.text:
        return verdict(0.8 if len(reply) > 200 else 0.7, "brief enough")
    return verdict(0.9 if WARM.search(reply) else 0.6, "friendly enough")


def scripted_desks() -> dict[str, ScriptedModel]:
    """A cheap provider and one that costs ten times as much; their prices are made up."""
    models = {
        "thrifty": ScriptedModel(otherwise(_thrifty), name="thrifty"),
        "generous": ScriptedModel(otherwise(_generous), name="generous"),
    }
    for model, (dollars_in, dollars_out) in zip(models.values(), [(0.2, 0.8), (2.0, 8.0)], strict=True):
        _priced(model, dollars_in, dollars_out)
    return models


def scripted_judges() -> dict[str, Judge]:
    """One that is hard to please, and one that is not."""
    models = {
        "strict": ScriptedModel(otherwise(_strict), name="strict"),
        "kind": ScriptedModel(otherwise(_kind), name="kind"),
    }
    return {name: Judge(model, price=Price(1.0, 4.0)) for name, model in models.items()}


def _priced(model: str, dollars_in: float, dollars_out: float) -> None:
    """Tell litellm the price of a million tokens, as one does for any model that it does not know."""
    import litellm  # after desk.py has said how

    prices = {
        "input_cost_per_token": dollars_in / 1e6,
        "output_cost_per_token": dollars_out / 1e6,
        "cache_read_input_token_cost": dollars_in / 1e6,
        "cache_creation_input_token_cost": dollars_in / 1e6,
    }
    provider = model.partition("/")[0]
    litellm.register_model({model: {**prices, "litellm_provider": provider, "mode": "chat"}})
