"""What the agent reads of the wire's partials is what the pipeline has told."""

from agent.livekit.wire_events import partial_heard
from agent.turns.turn_events import PartialHeard
from pipeline.realtime.protocol.server_events import input_events
from pipeline.types.events.input_events import PartialTranscript
from pipeline.types.hypothesis import Hypothesis


def read(hypothesis: Hypothesis) -> PartialHeard:
    (told,) = input_events(PartialTranscript("item_1", hypothesis, "speech"))
    return partial_heard(told)


def test_all_of_a_hypothesis_comes_through() -> None:
    whole = Hypothesis("Et puis", settled=True, audio_end_ms=900, language="fr", sentence_end=0.25004)
    assert read(whole) == PartialHeard("item_1", "Et puis", "speech", 900, True, "fr", sentence_end=0.25)


def test_what_nobody_knows_is_not_known_to_the_agent_either() -> None:
    assert read(Hypothesis("Et puis")) == PartialHeard("item_1", "Et puis", "speech", 0, settled=False)
