"""Fixtures that several test modules share."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of large real data sets, which is not part of the repository."""
    folder = Path(os.environ.get("JUDGEKIT_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets are not here; JUDGEKIT_DATA names their folder")
    return folder
