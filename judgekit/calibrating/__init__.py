"""How good a judge is: against human labels, against itself, and against order and length of replies."""

from judgekit.calibrating.calibrate import calibrate, calibrate_async
from judgekit.calibrating.calibration import Calibration
from judgekit.calibrating.labelled import LabelledReply, Labels
from judgekit.calibrating.labels import labels_from, load_labels
from judgekit.calibrating.pair_rows import ReplyPair, load_pairs, pairs_from
from judgekit.calibrating.pairs import PairReliability, pair_reliability, pair_reliability_async
from judgekit.calibrating.reliability import Reliability, reliability, reliability_async
from judgekit.calibrating.store import StoredCalibration, read_store

__all__ = [
    "Calibration",
    "LabelledReply",
    "Labels",
    "PairReliability",
    "Reliability",
    "ReplyPair",
    "StoredCalibration",
    "calibrate",
    "calibrate_async",
    "labels_from",
    "load_labels",
    "load_pairs",
    "pair_reliability",
    "pair_reliability_async",
    "pairs_from",
    "read_store",
    "reliability",
    "reliability_async",
]
