"""What the pipeline counts and times, for Prometheus."""

from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pipeline.types.chunks import DraftOutcome
from pipeline.types.events.event_sink import SessionEvent
from pipeline.types.events.input_events import EarlyAnswersEnded, TranscriptionCompleted, VideoSkipped
from pipeline.types.events.response_events import EnginesReleased, ResponseDone, Status

IDLE_SECONDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0)


class Metrics:
    """One pipeline's figures, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.sessions = Gauge("aura_sessions", "Sessions that are open.", registry=self.registry)
        self.ready = Gauge("aura_ready", "1: callers are taken.", registry=self.registry)
        self.max_sessions = Gauge("aura_max_sessions", "Most sessions at once.", registry=self.registry)
        self.tasks = Gauge("aura_tasks", "Tasks of the event loop.", registry=self.registry)
        self.busy = Gauge("aura_engine_busy", "Requests that an engine computes.", ["stage"], registry=self.registry)
        self.loop_lag = Gauge("aura_loop_lag_seconds", "Longest delay in the last second.", registry=self.registry)
        self.start = Gauge("aura_engine_start_seconds", "That it took to start.", ["stage"], registry=self.registry)
        self.restarts = Gauge(
            "aura_engine_restarts", "Times that it was started again.", ["stage"], registry=self.registry
        )
        self._answers = Counter("aura_responses", "Answers that have ended.", ["status"], registry=self.registry)
        self._refused = Counter("aura_refused_events", "Client events refused.", ["code"], registry=self.registry)
        self._turned_away = Counter(
            "aura_refused_connections", "Callers that were not let in.", ["reason"], registry=self.registry
        )
        self._gaps = Counter(
            "aura_sound_gaps", "Times that the sound of an answer came too late.", registry=self.registry
        )
        self._turn = Histogram(
            "aura_turn_seconds",
            "From the end of speech to the first audio that was sent.",
            registry=self.registry,
            buckets=SECONDS,
        )
        self._frames = Counter("aura_camera_frames", "Camera pictures received.", registry=self.registry)
        self._passes = Counter(
            "aura_asr_passes",
            "Passes over utterances that were heard to their end, by what became of the draft: none, right, wrong.",
            ["draft"],
            registry=self.registry,
        )
        self._drafted = Counter("aura_spec_decode_draft_tokens", "That recognisers were given.", registry=self.registry)
        self._right = Counter("aura_spec_decode_accepted_tokens", "Those that they wrote, too.", registry=self.registry)
        self._early_answers = Counter(
            "aura_early_answers",
            "Answers begun with words that were not settled yet, by what became of them: adopted, discarded.",
            ["outcome"],
            registry=self.registry,
        )
        self._skipped = Counter(
            "aura_video_skipped_seconds",
            "Seconds of video that were not seen, as the model that sees could not keep up.",
            registry=self.registry,
        )
        self._first_audio = Histogram(
            "aura_first_audio_seconds",
            "From response.create to the first audio that was sent.",
            registry=self.registry,
            buckets=SECONDS,
        )
        self._dropped = Histogram(
            "aura_cancel_seconds",
            "From a cancel until the engine had dropped the answer.",
            ["stage"],
            registry=self.registry,
            buckets=IDLE_SECONDS,
        )
        self._begin_at_zero()

    def _begin_at_zero(self) -> None:
        """Prometheus sees no increase in what is not there before it happens first: no alert would come of it."""
        for status in (*get_args(Status), "silent"):
            self._answers.labels(status)
        for reason in ("full", "starting", "shutting_down"):
            self._turned_away.labels(reason)
        for draft in ("none", "right", "wrong"):
            self._passes.labels(draft)
        for outcome in ("adopted", "discarded"):
            self._early_answers.labels(outcome)

    def happened(self, event: SessionEvent) -> None:
        match event:
            case ResponseDone():
                self._ended(event)
            case EnginesReleased(took=took):
                for stage, seconds in took.items():
                    self._dropped.labels(stage).observe(seconds)
            case TranscriptionCompleted(drafts=drafts):
                for draft in drafts:
                    self._heard(draft)
            case EarlyAnswersEnded(_, adopted, discarded):
                self._early_answers.labels("adopted").inc(adopted)
                self._early_answers.labels("discarded").inc(discarded)
            case VideoSkipped(seconds):
                self._skipped.inc(seconds)

    def _ended(self, event: ResponseDone) -> None:
        silent = event.status == "completed" and not event.output
        self._answers.labels("silent" if silent else event.status).inc()
        self._gaps.inc(event.gaps)
        if (sent := event.timings.get("first_sent")) is not None:
            self._first_audio.observe(max(0.0, sent - event.timings["created"]))
            if (speech_end := event.timings.get("speech_end")) is not None:
                self._turn.observe(max(0.0, sent - speech_end))

    def _heard(self, draft: DraftOutcome | None) -> None:
        if draft is None:
            self._passes.labels("none").inc()
            return
        self._passes.labels("right" if draft.right == draft.tokens else "wrong").inc()
        self._drafted.inc(draft.tokens)
        self._right.inc(draft.right)

    def turned_away(self, reason: str) -> None:
        self._turned_away.labels(reason).inc()

    def refused(self, code: str) -> None:
        self._refused.labels(code).inc()

    def frames(self, count: int) -> None:
        self._frames.inc(count)

    def page(self) -> bytes:
        return generate_latest(self.registry)
