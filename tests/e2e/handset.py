"""One call of a telephone, with recordings for ears and mouth; the SIP in it is PJSIP's.

PJSIP: https://docs.pjsip.org/en/latest/pjsua2/intro.html
"""

import asyncio
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pjsua2 as pj
import soxr

from tests.e2e.diary import Diary
from tests.e2e.recording import Recording
from tests.e2e.speech import RATE, Sound, write_wav

LINE_RATE = 8_000  # Hz: G.711
HEADER = 44  # bytes of a WAV file before its first sample
PIECE = LINE_RATE // 50 * 2  # bytes: 20 ms
RINGS_S = 40.0


class Handset:
    """One call, from either side.

    Attributes:
        heard: What came from the other side, with times.
        status: The SIP status with which the call was answered or refused.
        reason: Its words.
        caller: The number of the other side.
    """

    def __init__(self, account: pj.Account, folder: Path, name: str, call_id: int = pj.PJSUA_INVALID_ID) -> None:
        self.diary = Diary(f"the phone {name}")
        self.heard = Recording(self.diary)
        self.status, self.reason = 0, ""
        self.answered_at: float | None = None
        self.over = False
        self.caller = ""
        self._folder, self._name = folder, name
        self._clock = asyncio.get_running_loop().time
        self._call: Any = _Call(account, call_id, self)
        self._audio: Any = None
        self._recorder: Any = None
        self._players: list[Any] = []
        self._tape_began = 0.0
        self._read = HEADER

    @property
    def tape(self) -> Path:
        return self._folder / f"{self._name}.wav"

    def dials(self, uri: str) -> None:
        self.diary.note("dials")
        self._call.makeCall(uri, pj.CallOpParam(True))

    async def answered(self) -> float:
        """When it was.

        Raises:
            AssertionError: It was not; says why.
        """
        await self.diary.until(lambda: self.answered_at is not None or self.over, RINGS_S, "an answer")
        assert self.answered_at is not None, f"refused with {self.status} {self.reason}\n{self.diary}"
        return self.answered_at

    async def hung_up(self, within_s: float) -> None:
        """The call is over."""
        await self.diary.until(lambda: self.over, within_s, "the end of the call")

    async def says(self, sound: Sound) -> float:
        """Say it to the end; returns when the last sample left."""
        path = write_wav(self._folder / f"{self._name}-{len(self._players)}.wav", narrow(sound), LINE_RATE)
        player = pj.AudioMediaPlayer()
        player.createPlayer(str(path), pj.PJMEDIA_FILE_NO_LOOP)
        self._players.append(player)
        began = self._clock()
        player.startTransmit(self._audio)
        self.diary.note("speaks")
        ends = began + len(sound) / RATE
        await asyncio.sleep(ends - self._clock())
        self.diary.note("has spoken")
        return ends

    async def hears(self, since: float, within_s: float, wanted: str) -> float:
        """Return when something that was heard after that moment is over: when it began."""

        def over() -> bool:
            last = self.heard.stretches[-1:]
            return bool(last) and last[0].ended > since and not self.heard.sounds

        await self.diary.until(over, within_s, wanted)
        return next(max(each.began, since) for each in self.heard.stretches if each.ended > since)

    def presses(self, digits: str) -> None:
        self.diary.note(f"presses {digits}")
        self._call.dialDtmf(digits)

    def hangs_up(self) -> None:
        self._call.hangup(pj.CallOpParam())

    def holds(self) -> None:
        self.diary.note("holds")
        self._call.setHold(pj.CallOpParam())

    def takes_up_again(self) -> None:
        self.diary.note("takes up again")
        parameters = pj.CallOpParam(True)
        parameters.opt.flag = pj.PJSUA_CALL_UNHOLD
        self._call.reinvite(parameters)

    def answers(self, status: int) -> None:
        """183: with early media; 200: picks up."""
        parameters = pj.CallOpParam()
        parameters.statusCode = status
        self._call.answer(parameters)

    def rewind(self) -> None:
        """Hear what has been recorded since the last time."""
        if not self.tape.exists():
            return
        with self.tape.open("rb") as file:
            file.seek(self._read)
            pcm = file.read()
        for begin in range(0, len(pcm) // PIECE * PIECE, PIECE):
            self._read += PIECE
            at = self._tape_began + (self._read - HEADER) / 2 / LINE_RATE
            self.heard.hear(np.frombuffer(pcm, np.int16, PIECE // 2, begin), at)

    def forget(self) -> None:
        """Give back what is PJSIP's."""
        self._audio = self._recorder = self._call = None
        self._players.clear()

    # What PJSIP tells.

    def on_state(self, info: Any) -> None:
        self.caller = info.remoteUri.partition("sip:")[2].partition("@")[0]
        self.diary.note(f"{info.stateText} {info.lastStatusCode}")
        self.status, self.reason = info.lastStatusCode, info.lastReason
        if info.state == pj.PJSIP_INV_STATE_CONFIRMED:
            self.answered_at = self._clock()
        self.over = info.state == pj.PJSIP_INV_STATE_DISCONNECTED
        self.diary.wake()

    def on_media(self, audio: Any) -> None:
        self._audio = audio
        if self._recorder is None:
            self._recorder = pj.AudioMediaRecorder()
            self._recorder.createRecorder(str(self.tape))
            self._tape_began = self._clock()
        audio.startTransmit(self._recorder)


class _Call(pj.Call):  # type: ignore[misc]
    """PJSIP's side of a handset; it must be gone before PJSIP is."""

    def __init__(self, account: pj.Account, call_id: int, handset: Handset) -> None:
        super().__init__(account, call_id)
        self._handset = weakref.ref(handset)

    def onCallState(self, prm: Any) -> None:
        if handset := self._handset():
            handset.on_state(self.getInfo())

    def onCallMediaState(self, prm: Any) -> None:
        info = self.getInfo()  # its media die with it
        active = any(media.status == pj.PJSUA_CALL_MEDIA_ACTIVE for media in info.media)
        if active and (handset := self._handset()):
            handset.on_media(self.getAudioMedia(-1))


def narrow(sound: Sound) -> Sound:
    """What a telephone makes of a microphone's sound: 8 kHz."""
    return np.asarray(soxr.resample(sound, RATE, LINE_RATE), np.int16)
