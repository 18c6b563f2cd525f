"""How good a judge is: against human labels, against itself, and against order and length of replies."""

from judgekit.calibrating.calibrate import calibrate, calibrate_async
from judgekit.calibrating.calibration import Calibration
from judgekit.calibrating.labels import labels_from, load_labels
from judgekit.calibrating.rows import LabelledReply, Labels
from judgekit.calibrating.store import StoredCalibration, read_store

__all__ = [
    "Calibration",
    "LabelledReply",
    "Labels",
    "StoredCalibration",
    "calibrate",
    "calibrate_async",
    "labels_from",
    "load_labels",
    "read_store",
]
