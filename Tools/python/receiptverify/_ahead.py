"""Calls on a thread of their own, one ahead of what uses their results."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from ._library import ResourcesError

_T = TypeVar("_T")


def ahead(calls: Iterable[Callable[[], _T]]) -> Iterator[_T]:
    """Yields what each call returns, in their order. One call runs at a time, while the result before it is used.

    An ``Exception`` of the iterable is raised after the results of the calls before it.

    :raises ResourcesError: The system has no thread left.
    """
    source = iter(calls)
    earlier: _Running[_T] | None = None
    error: Exception | None = None
    while error is None:
        running: _Running[_T] | None = None
        try:
            running = _Running(next(source))
        except Exception as raised:
            error = raised
        results = [] if earlier is None else [earlier.result()]
        if running is not None:
            try:
                running.begin()
            except ResourcesError as raised:
                error = raised
        yield from results
        earlier = running
    if not isinstance(error, StopIteration):
        raise error


class _Running(threading.Thread, Generic[_T]):
    """A call on a thread of its own."""

    def __init__(self, call: Callable[[], _T]) -> None:
        super().__init__(name="receiptverify")
        self._call = call
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
        try:
            self._results.append(self._call())
        except BaseException as error:
            self._error = error

    def result(self) -> _T:
        """Waits for the call, and returns what it has returned or raises what it has raised."""
        self.join()
        if self._error is not None:
            raise self._error
        # A child after fork() has no thread of its parent.
        return self._results[0] if self._results else self._call()
