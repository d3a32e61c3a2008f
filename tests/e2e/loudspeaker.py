"""Measures, inside the page, what the agent's audio element plays."""

from tests.e2e.chromium import Page, element

LOUD = 0.01  # least peak of speech; full scale is 1
EVERY_MS = 40  # a busy page looks less often: each look counts for the time since the one before

LISTEN = """
(audio => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(audio.srcObject).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  window.heard = [];
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const plays = !audio.paused && !audio.muted && audio.volume > 0;
    const at = performance.now(), ms = at - (window.heard.at(-1)?.at ?? at);
    window.heard.push({at, ms, loud: plays && peak > LOUD, position: audio.currentTime});
  }, EVERY_MS);
  return true;
})(AUDIO)
"""


class Loudspeaker:
    """Listens from the moment that the page has an element for the agent's sound."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def listen(self, within_s: float) -> None:
        audio = element("agent-audio")
        await self._page.until(f"{audio}?.srcObject?.active && {audio}.readyState > 2", within_s, "an audio element")
        script = LISTEN.replace("AUDIO", audio).replace("LOUD", str(LOUD)).replace("EVERY_MS", str(EVERY_MS))
        await self._page.run(script)

    async def now_ms(self) -> float:
        """On the page's clock."""
        return float(await self._page.run("performance.now()"))

    def loud_ms(self, since_ms: float) -> str:
        """JavaScript: milliseconds of sound since then."""
        return f"heard.filter(sample => sample.loud && sample.at > {since_ms}).reduce((sum, {{ms}}) => sum + ms, 0)"

    async def plays(self, within_s: float, since_ms: float) -> None:
        """Return when half a second of sound has been played since then, and the element's clock has moved."""
        script = f"""{self.loud_ms(since_ms)} > 500
            && (samples => samples.at(-1).position > samples[0].position)(heard.filter(({{at}}) => at > {since_ms}))"""
        await self._page.until(script, within_s, "the answer is played")

    async def is_quiet(self, within_s: float) -> None:
        """Return when nothing has been played for 0.6 s."""
        script = "!heard.slice(-15).some(sample => sample.loud)"
        await self._page.until(script, within_s, "the loudspeaker is quiet")
