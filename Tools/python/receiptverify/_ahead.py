"""Calls on threads of their own, ahead of what uses their results."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from ._library import ResourcesError

_T = TypeVar("_T")


def ahead(calls: Iterable[Callable[[], _T]], jobs: int) -> Iterator[_T]:
    """Yields what each call returns, in their order.

    While a result is used, as many calls run as there are jobs, and one more is ready. An ``Exception`` of the iterable
    is raised after the results of the calls before it.

    :raises ResourcesError: The system has no thread left.
    """
    source = iter(calls)
    begun: deque[_Call[_T]] = deque()
    latest: deque[_Call[_T]] = deque(maxlen=jobs)
    error: Exception | None = None
    while True:
        while error is None and len(begun) <= jobs:
            try:
                call = _Call(next(source), after=latest[0] if len(latest) == jobs else None)
                call.begin()
                begun.append(call)
                latest.append(call)
            except Exception as raised:
                error = raised
        if not begun:
            break
        yield begun.popleft().result()
    if error is not None and not isinstance(error, StopIteration):
        raise error


class _Call(threading.Thread, Generic[_T]):
    """A call on a thread of its own, which runs after an earlier one."""

    def __init__(self, function: Callable[[], _T], after: _Call[_T] | None) -> None:
        super().__init__(name="receiptverify")
        self._function = function
        self._after = after
        self._results: list[_T] = []
        self._error: BaseException | None = None

    def begin(self) -> None:
        """Starts the thread.

        :raises ResourcesError: The system has no thread left.
        """
        try:
            self.start()
        except RuntimeError as error:
            raise ResourcesError(str(error)) from error

    def run(self) -> None:
        if self._after is not None:
            self._after.join()
            # Otherwise each call would keep all earlier ones in memory.
            self._after = None
        try:
            self._results.append(self._function())
        except BaseException as error:
            self._error = error

    def result(self) -> _T:
        """Waits for the call, and returns what it has returned or raises what it has raised."""
        self.join()
        if self._error is not None:
            raise self._error
        # A child after fork() has no thread of its parent.
        return self._results.pop() if self._results else self._function()
