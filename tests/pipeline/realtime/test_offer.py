"""What the model would say of its own accord, on the wire."""

import pytest

from pipeline.errors import RequestError
from pipeline.realtime.protocol.client_events import AuraSettings, SessionSettings
from pipeline.realtime.protocol.server_events import input_events
from pipeline.realtime.session_config import SessionConfig
from pipeline.types.events.input_events import OfferMade
from pipeline.vision.offers import Offer, OfferBook
from tests.served import ABLE


def test_an_offer_is_text_and_says_how_long_it_stands() -> None:
    (wire,) = input_events(OfferMade("offer_1", "The kettle boils.", 5_000))
    assert {key: wire[key] for key in wire if key != "event_id"} == {
        "type": "aura.offer",
        "offer_id": "offer_1",
        "text": "The kettle boils.",
        "expires_ms": 5_000,
        "trigger": "vision",
    }


def test_it_can_be_accepted_once_while_it_stands() -> None:
    offers = OfferBook()
    offers.make(Offer("a", "The kettle boils.", 5.0))
    with pytest.raises(RequestError, match="does not stand"):
        offers.accept("b", 1.0)
    assert offers.accept("a", 4.9) == "The kettle boils."
    with pytest.raises(RequestError, match="does not stand"):
        offers.accept("a", 4.9)


def test_it_does_not_stand_when_its_time_is_over() -> None:
    offers = OfferBook()
    offers.make(Offer("a", "The kettle boils.", 5.0))
    assert offers.stands(4.9)
    assert not offers.stands(5.0)
    with pytest.raises(RequestError) as refused:
        offers.accept("a", 5.0)
    assert refused.value.param == "response.metadata.offer_id"


@pytest.mark.parametrize(
    ("aura", "proactive"),
    [
        (AuraSettings(), "speak"),
        (AuraSettings(proactive="offer"), "offer"),
        (AuraSettings(proactive="off"), "off"),
        (AuraSettings(proactive="offer", camera=False), "off"),
    ],
)
def test_a_session_says_what_becomes_of_them(aura: AuraSettings, proactive: str) -> None:
    assert SessionConfig.at_first(ABLE).updated(SessionSettings(aura=aura)).options().proactive == proactive
