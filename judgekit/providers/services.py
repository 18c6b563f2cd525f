"""What the calls of one run share, for one request: wire, ledger, limiter, gate, and what was learnt."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass

from judgekit.context import RunScope
from judgekit.providers.base import Limits, Price, Request
from judgekit.providers.ladder import Knowledge, secrets_in
from judgekit.providers.limiter import Gate, Limiter
from judgekit.providers.litellm_wire import LitellmWire, environment_secrets, price_of
from judgekit.providers.spend import Ledger, ledger_of

__all__ = ["LIMITS", "Services", "services_of"]

LIMITS = "judgekit.limits"


@dataclass(frozen=True, slots=True)
class Services:
    """The shared things that one request uses."""

    scope: RunScope
    wire: LitellmWire
    ledger: Ledger
    gate: Gate
    account: Hashable
    limiter: Limiter
    knowledge: Knowledge

    def price(self, request: Request) -> Price | None:
        """The price of the request's model; None: unknown. Only looked up where a limit needs it."""
        if request.price is not None or self.ledger.max_cost is None:
            return request.price
        if request.is_scripted:
            return Price(0, 0)
        model = str(request.model)
        return self.scope.service(("judgekit.price", model), lambda: _Priced(price_of(model))).price


@dataclass(frozen=True, slots=True)
class _Priced:
    price: Price | None


def services_of(scope: RunScope, request: Request) -> Services:
    """What `request` shares with the other calls of its run."""
    for secret in (request.api_key, *secrets_in(request.params)):
        scope.masker.add(secret)
    model, base = request.model_name, request.api_base
    provider = model.partition("/")[0]
    limits = request.limits or scope.service(LIMITS, Limits)
    limiter = scope.service(("judgekit.limiter", model, base), lambda: Limiter(limits))
    limiter.tighten(limits)
    return Services(
        scope=scope,
        wire=scope.service("judgekit.wire", lambda: _wire(scope)),
        ledger=ledger_of(scope),
        gate=scope.service(("judgekit.gate", provider, base), Gate),
        account=_account(request.api_key),
        limiter=limiter,
        knowledge=scope.service(("judgekit.knowledge", model, base), Knowledge),
    )


def _wire(scope: RunScope) -> LitellmWire:
    for secret in environment_secrets():
        scope.masker.add(secret)
    wire = LitellmWire()
    scope.on_close(wire.close)
    return wire


def _account(api_key: str | None) -> Hashable:
    return None if api_key is None else hashlib.sha256(api_key.encode()).digest()
