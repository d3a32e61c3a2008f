"""This module has people told that their call is recorded: by a sentence that they hear to its end."""

import asyncio
import contextlib
from typing import Protocol

from agent.aio.background_tasks import OwnedTasks

CONSENT_S = 15.0  # for which what is written waits for the sentence
CONSENT_TRIES = 5  # to say it to its end
CONSENT_AGAIN_S = 2.0  # after one that could not be said


class MayRecord(Protocol):
    """What may record the call."""

    @property
    def on(self) -> bool:
        """Whether it does."""
        ...


class ConsentSpeech(Protocol):
    """The sentence while it is said: LiveKit's `SpeechHandle`."""

    @property
    def interrupted(self) -> bool: ...

    async def wait_for_playout(self) -> None: ...


class ConsentVoice(Protocol):
    """Who says the sentence."""

    @property
    def is_up(self) -> bool:
        """Whether anything can be said: the line to the pipeline is up."""
        ...

    def say_consent(self) -> tuple[ConsentSpeech, str] | None:
        """Begin to say it; returns what is said, and its words. None: there is none that could be said."""
        ...


class RecordingConsent:
    """The sentence of one call. What is not heard to its end is said again, when nobody speaks.

    Args:
        recording: May record the call; None: nothing does, and nothing is said.
    """

    def __init__(self, voice: ConsentVoice, recording: MayRecord | None) -> None:
        self._voice, self._recording = voice, recording
        self._tries = 0  # that are left; 0 too while it is being said
        self._told = asyncio.Event()
        self._told.set()
        self._said = ""  # by the pipeline, as it is and to its end, since the sentence began
        self._free = False  # the floor is
        self._held = False
        self._tasks = OwnedTasks()

    def expect(self) -> None:
        """The call begins: from now on what is written waits for the sentence."""
        if self._recording:
            self._told.clear()

    def begin(self) -> None:
        """Say it, before anything else, if the call is recorded."""
        if self._recording and self._recording.on:
            self._tries = CONSENT_TRIES
            self._say()
        else:
            self._told.set()

    async def told(self) -> None:
        """Returns when they have been told that the call is recorded, if it is, or when that takes too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONSENT_S):
                await self._told.wait()

    def hold(self) -> None:
        """Say nothing until `go_on`: what is being said is stopped."""
        self._held = True

    def go_on(self) -> None:
        """Say now what could not be said meanwhile."""
        self._held = False
        if self._tries:
            self._say()

    def see_floor(self, free: bool) -> None:
        """Nobody speaks, and nothing is under way or audible; or otherwise."""
        self._free = free
        if free and self._voice.is_up and self._tries and not self._held:
            self._say()

    def on_said(self, text: str) -> None:
        """The pipeline has said that as it is, to its end; empty: something else."""
        self._said = text or self._said

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def _say(self) -> None:
        left, self._tries, self._said = self._tries - 1, 0, ""
        if saying := self._voice.say_consent():
            self._tasks.start(self._hear_out(*saying, left), "call:consent")
        else:
            self._told.set()

    async def _hear_out(self, saying: ConsentSpeech, words: str, left: int) -> None:
        """Have it said again when the floor is free, if it was not heard to its end: they are to know."""
        await saying.wait_for_playout()
        self._told.set()
        if saying.interrupted:
            self._tries = left
        elif self._said != words:  # the line broke, or the voice failed
            await asyncio.sleep(CONSENT_AGAIN_S)
            self._tries = left
            self.see_floor(self._free)
