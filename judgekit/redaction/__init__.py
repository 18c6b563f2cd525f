"""Secrets and personal data taken out of evidence, so that it can be committed."""

from judgekit.redaction.redactor import KINDS, Redactor

__all__ = ["KINDS", "Redactor"]
