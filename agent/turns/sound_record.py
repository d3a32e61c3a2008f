"""This module notes when a person's sound began, paused and was labelled: the numbers behind what is decided of it."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class _Sound:
    """A sound is what is known of its times, in seconds on the loop's clock.

    Attributes:
        ended: None while it is being made.
        labelled: When the newest hypothesis of it came.
        audio_ms: How much of it that one covers.
        item_id: The pipeline's name for it, if it has told one.
        agent: When the agent began and stopped to be heard since it began; the last may go on.
        sound_over, words_over: What the judges of a turn's end say of it; None: nothing, or not yet.
    """

    began: float
    ended: float | None = None
    labelled: float | None = None
    audio_ms: int = 0
    item_id: str = ""
    agent: tuple[tuple[float, float | None], ...] = ()
    sound_over: bool | None = None
    words_over: bool | None = None


class SoundRecord:
    """Follows one caller's sounds. It keeps times, and nothing of what was said."""

    def __init__(self) -> None:
        self._sound: _Sound | None = None
        self._audible = False
        self._over = ""  # the item of the sound before, of which something may still be told

    def onset(self, at: float, *, goes_on: bool) -> None:
        """Note that the person makes a sound since `at`; `goes_on`: it is still the one before, after a pause."""
        if goes_on and self._sound:
            self._sound = replace(self._sound, ended=None, sound_over=None, words_over=None)
        else:
            self._over = self._sound.item_id if self._sound else ""
            self._sound = _Sound(at, agent=((at, None),) if self._audible else ())

    def pause(self, at: float) -> None:
        """Note that they are silent since `at`."""
        if self._sound:
            self._sound = replace(self._sound, ended=at)

    @property
    def length_ms(self) -> int | None:
        """How long the newest sound was, pauses in it included; None while it is being made."""
        return _ms(self._sound.ended - self._sound.began) if self._sound and self._sound.ended is not None else None

    def judged(self, sound_over: bool, words_over: bool | None) -> None:
        """Note whether it sounds as if their turn were over, and whether its words end a sentence."""
        if self._sound:
            self._sound = replace(self._sound, sound_over=sound_over, words_over=words_over)

    def label(self, at: float, item_id: str, audio_ms: int) -> None:
        """Note that the pipeline has a hypothesis of the sound, of its first `audio_ms`."""
        if self._sound and item_id != self._over:
            self._sound = replace(self._sound, labelled=at, item_id=item_id, audio_ms=audio_ms)

    def audible(self, at: float, audible: bool) -> None:
        """Note that the agent can be heard since `at`, or no longer."""
        if self._sound and audible and not self._audible:
            self._sound = replace(self._sound, agent=(*self._sound.agent, (at, None)))
        elif self._sound and self._audible and not audible:
            *before, (began, _) = self._sound.agent
            self._sound = replace(self._sound, agent=(*before, (began, at)))
        self._audible = audible

    def figures(self, now: float) -> dict[str, float | str]:
        """Return what is known of the newest sound, in ms; what has not happened is left out.

        Returns:
            `sound_ms`: its length by voice activity, pauses in it included. `over_agent_ms`: how much of it was made
            while the agent was heard. `since_pause_ms`: from its end until now. `label_ms`: from its end until the
            pipeline's newest label, 0 if that came before. `label_audio_ms`: how much audio that was made of,
            the pipeline's half a second before the sound and the silence after it included. `sound_over`,
            `words_over`: `yes` or `no`, what the judges of a turn's end say.
        """
        sound = self._sound
        if sound is None:
            return {}
        end = now if sound.ended is None else sound.ended
        over_s = sum(max(0.0, min(end if to is None else to, end) - since) for since, to in sound.agent)
        figures: dict[str, float | str] = {"sound_ms": _ms(end - sound.began), "over_agent_ms": _ms(over_s)}
        if sound.ended is not None:
            figures["since_pause_ms"] = _ms(now - sound.ended)
        if sound.labelled is not None:
            figures["label_ms"] = _ms(sound.labelled - end)
            figures["label_audio_ms"] = sound.audio_ms
        judged = {"sound_over": sound.sound_over, "words_over": sound.words_over}
        return figures | {name: "yes" if over else "no" for name, over in judged.items() if over is not None}


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
