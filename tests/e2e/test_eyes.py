"""The embedded profile sees in a room: what is shown is said aloud, read out, shown on the page, and remarked on."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from livekit import rtc

from infra.bench.base.speech import PersonVoice, silence, write_wav
from infra.bench.person.camera import FRAMES_PER_S
from infra.bench.person.person import ANSWER_S, READY_S, Person, joined
from infra.bench.person.task_scope import task_scope
from pipeline.vision.noticing import ONE_EVENT_S, PHRASES, SOMEBODY, THING
from tests.e2e.chromium import chromium, element, find
from tests.e2e.loudspeaker import Loudspeaker
from tests.e2e.pictures import ShowingCamera, empty_room, holding, photo, somebody, written_page, y4m
from tests.e2e.recogniser import Recogniser
from tests.e2e.screens import take_pictures
from tests.e2e.stack import Stack

pytestmark = pytest.mark.anyio

SEEN_S = 20.0  # until what a camera shows is shown back
READ_S = 180.0  # in which a prompt of a thousand tokens is read
FIRST_SCENE_S = 7.0  # after which what comes is news
QUIET_S = 15.0  # in which nothing new is to be seen, and nothing is said
WHAT_ANIMAL, WHAT_TEXT = "What animal is this?", "What does it say?"
LONG = "I would like to tell you about the house in which my grandmother lived when I was a child, near the sea."


async def test_what_the_camera_and_then_the_screen_show_is_said_aloud(
    stack: Stack, voice: PersonVoice, ears: Recogniser, a_room: Callable[[], str]
) -> None:
    camera = ShowingCamera(photo("cat"))
    async with joined("Ann", await stack.grant(a_room(), "ann")) as ann:
        await ann.film(camera)
        await ann.greeted()
        await sees(ann, "a cat")
        await nothing_is_computed(stack)
        assert "cat" in ears.understand(await ann.ask(voice.say(WHAT_ANIMAL))).lower()

        camera.show(written_page("The train to Vienna", "leaves at nine."))
        await sees(ann, "Vienna")
        read = ears.understand(await ann.ask(voice.say(WHAT_TEXT))).lower()
        assert "train" in read and "vienna" in read, read

        screen = ShowingCamera(written_page("The meeting is", "on Monday."))
        options = rtc.TrackPublishOptions(
            source=rtc.TrackSource.SOURCE_SCREENSHARE,
            simulcast=False,
            video_encoding=rtc.VideoEncoding(max_framerate=FRAMES_PER_S, max_bitrate=2_000_000),
        )
        async with task_scope() as tasks:
            tasks.start(screen.run(), "screen")
            track = rtc.LocalVideoTrack.create_video_track("screen", screen.source)
            await ann.room.local_participant.publish_track(track, options)
            await sees(ann, "meeting")
            read = ears.understand(await ann.ask(voice.say(WHAT_TEXT))).lower()
            assert "meeting" in read and "monday" in read, read
    assert not spoken_up(ann), "what a first scene or a screen shows is not remarked on"


async def test_a_browser_is_shown_what_is_seen_and_hears_it(
    stack: Stack, voice: PersonVoice, tmp_path: Path, out: Path
) -> None:
    question = write_wav(tmp_path / "microphone.wav", np.concatenate([silence(0.5), voice.say(WHAT_ANIMAL)]))
    async with chromium(tmp_path, question, camera=y4m(tmp_path / "camera.y4m", photo("cat")), still=True) as page:
        loudspeaker = Loudspeaker(page)
        await page.open(f"{stack.running.url}?camera=1")
        await page.until(f"{find('video')}?.readyState > 2", READY_S, "a start screen with the camera's picture")
        await page.click(find("[role=switch][aria-label=Microphone]"))  # it is to speak later
        await page.click(element("start"))
        await loudspeaker.listen(READY_S)
        seen = f"{element('observation')}?.textContent.includes('a cat')"
        await page.until(seen, READY_S, "what AURA sees")
        await loudspeaker.is_quiet(READY_S)
        await page.until(seen, SEEN_S, "what AURA sees")
        await nothing_is_computed(stack)
        await take_pictures(page, out, "sees")
        asked = await loudspeaker.now_ms()
        await page.click(find(".controls [aria-label=Microphone]"))
        answers = "[...document.querySelectorAll('[data-testid=caption-agent]')]"
        await page.until(f"{answers}.some(said => /\\bcat\\b/i.test(said.textContent))", ANSWER_S, "that it is a cat")
        await loudspeaker.plays(READY_S, since_ms=asked)
        assert page.errors == []


async def test_who_comes_and_what_is_held_up_are_remarked_on_once_and_never_over_somebody(
    stack: Stack, voice: PersonVoice, a_room: Callable[[], str]
) -> None:
    camera = ShowingCamera(empty_room())
    hello, a_cat = PHRASES[SOMEBODY][0], PHRASES[THING][0].format("a cat")
    async with joined("Bob", await stack.grant(a_room(), "bob")) as bob:
        await bob.film(camera)
        await bob.greeted()
        await asyncio.sleep(FIRST_SCENE_S)
        camera.show(somebody())
        await remarks(bob, hello)
        await asyncio.sleep(ONE_EVENT_S)
        camera.show(holding(photo("cat")))
        await remarks(bob, hello, a_cat)
        camera.show(somebody())
        await asyncio.sleep(QUIET_S)
        await nothing_is_computed(stack)

        began, ended = bob.say(voice.say(LONG))
        since = await began
        camera.show(written_page("Happy birthday", "dear Robert!"))
        until = await ended
        assert [each for each in bob.heard.stretches if since < each.began < until] == []
        await bob.answered(until)
        camera.show(somebody())
        await asyncio.sleep(5)
    assert spoken_up(bob) == [hello, a_cat]


async def sees(person: Person, words: str) -> None:
    """Return when the agent shows that it sees this."""
    line = "aura.observation"
    await person.diary.until(lambda: words in "".join(person.told(line)[-1:]), SEEN_S, f"that {words!r} is seen")


async def nothing_is_computed(stack: Stack) -> None:
    """Return when the model that writes has read ahead: for the first who is seen a slow machine takes a while."""
    async with asyncio.timeout(READ_S):
        while (await stack.ready())["busy"].get("aura"):
            await asyncio.sleep(1)


async def remarks(person: Person, *texts: str) -> None:
    """Return when this has been said unasked, one after the other, and it is quiet again."""

    def said() -> bool:
        return len(spoken_up(person)) >= len(texts) and not person.heard.sounds and person.state == "listening"

    await person.diary.until(said, SEEN_S, f"the remark {texts[-1]!r}")
    assert spoken_up(person) == [*texts]


def spoken_up(person: Person) -> list[str]:
    decisions = [json.loads(decision) for decision in person.told("aura.decision")]
    return [decision["text"] for decision in decisions if decision["what"] == "spoke_up"]
