"""One thread for linear algebra while small equations are solved, and the others back afterwards."""

from __future__ import annotations

import pytest
import scipy.linalg  # noqa: F401  NumPy's library and SciPy's own
from threadpoolctl import threadpool_info, threadpool_limits

from adjudge.core.threads import ALONE_UP_TO, one_thread


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_one_thread_inside_and_the_others_afterwards() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_thread():
            assert threads() == {1}
            with one_thread(ALONE_UP_TO):
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == before
        with one_thread(ALONE_UP_TO + 1):
            assert threads() == before
        with pytest.raises(ValueError, match="wrong"), one_thread():
            raise ValueError("wrong")
        assert threads() == before
