"""Items of the conversation between the wire's form and the pipeline's."""

import base64
import binascii
import io
from collections.abc import Sequence
from typing import Any, get_args

import msgspec
from PIL import Image

from pipeline.errors import RequestError
from pipeline.media.video_chunk import VideoSource, fitted
from pipeline.realtime.protocol.client_events import Content, WireItem
from pipeline.realtime.protocol.limits import check_item, check_pictures
from pipeline.types.capabilities import PromptLimits
from pipeline.types.history import FRONT, History, Item, ItemKind
from pipeline.types.ids import call_name, item_name

LONGEST_ID = 256
MOST_OUTPUT = 65_536  # characters of what a function has put out; the model sees the beginning
SERVED = get_args(ItemKind)
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MAX_IMAGE_PIXELS = 16_777_216  # 4096 x 4096
MOST_PICTURES = 64  # of all that a response brings along; more would be decoded than any model is shown
SERVED_PARTS = {
    "user": ("input_text", "input_image", "input_audio"),
    "assistant": ("output_text", "output_audio", "text"),
    "system": ("input_text",),
}


def read_item(item: WireItem, limits: PromptLimits | None, param: str = "item") -> Item:
    """The item of a `conversation.item.create`.

    Raises:
        RequestError: Names the field that cannot be served.
    """
    if item.type not in SERVED:
        message = f"{param}.type: {item.type[:64]!r} is not one of {', '.join(SERVED)}"
        raise RequestError("invalid_value", message, f"{param}.type")
    if item.id == FRONT or len(item.id or "") > LONGEST_ID:
        message = f"{param}.id: it has more than {LONGEST_ID} characters, or is {FRONT!r}"
        raise RequestError("invalid_value", message, f"{param}.id")
    if item.type == "function_call":
        return _call(item, limits, param)
    if item.type == "function_call_output":
        return _output(item, param)
    if item.role is None:
        raise RequestError("invalid_value", f"{param}.role: a message needs one", f"{param}.role")
    if not item.content:
        raise RequestError("invalid_value", f"{param}.content: it is empty", f"{param}.content")
    texts, images = [], 0
    for index, part in enumerate(item.content or []):
        where = f"{param}.content[{index}]"
        if part.type not in SERVED_PARTS[item.role]:
            served = ", ".join(SERVED_PARTS[item.role])
            raise RequestError("invalid_value", f"{where}.type: {part.type!r} is not one of {served}", f"{where}.type")
        if part.type == "input_image":
            check_image(_data_of(part, where), f"{where}.image_url")
            images += 1
        if part.type == "input_audio" and part.transcript is None:
            message = f"{where}.transcript: sound in an item is not transcribed, append it to input_audio_buffer"
            raise RequestError("invalid_value", message, f"{where}.transcript")
        if part.type.endswith("text") and part.text is None:
            raise RequestError("invalid_value", f"{where}.text: it is needed", f"{where}.text")
        texts.append(part.text or part.transcript or "")
    text = " ".join(filter(None, texts))
    if not text.strip() and not images and item.content[0].type == "input_text":
        raise RequestError("invalid_value", f"{param}.content[0].text: it is empty", f"{param}.content[0].text")
    check_item(text, item.role, limits, f"{param}.content")
    check_pictures(images, limits, f"{param}.content")
    return Item(item.id or item_name(), item.role, text, images=images)


def _call(item: WireItem, limits: PromptLimits | None, param: str) -> Item:
    """A call that the client knows of, from another conversation."""
    arguments = "{}" if item.arguments is None else item.arguments
    if not item.name:
        raise RequestError("invalid_value", f"{param}.name: a function call needs one", f"{param}.name")
    try:
        is_object = isinstance(msgspec.json.decode(arguments), dict)
    except (msgspec.DecodeError, RecursionError):
        is_object = False
    if not is_object:
        raise RequestError("invalid_value", f"{param}.arguments: they are no JSON object", f"{param}.arguments")
    check_item(f"{item.name}{arguments}", "assistant", limits, f"{param}.arguments")
    call_id = _call_id(item, param) if item.call_id is not None else call_name()
    return Item(item.id or item_name(), "assistant", arguments, kind="function_call", call_id=call_id, name=item.name)


def _output(item: WireItem, param: str) -> Item:
    output = item.output
    if output is None or len(output) > MOST_OUTPUT:
        fault = "it is needed" if output is None else f"{len(output):,} characters, and {MOST_OUTPUT:,} are served"
        raise RequestError("invalid_value", f"{param}.output: {fault}", f"{param}.output")
    call_id = _call_id(item, param)
    return Item(item.id or item_name(), "user", output, kind="function_call_output", call_id=call_id)


def _call_id(item: WireItem, param: str) -> str:
    if not item.call_id or len(item.call_id) > LONGEST_ID:
        fault = f"it has more than {LONGEST_ID} characters" if item.call_id else "it is needed"
        raise RequestError("invalid_value", f"{param}.call_id: {fault}", f"{param}.call_id")
    return item.call_id


def read_input(items: Sequence[WireItem], limits: PromptLimits | None) -> History:
    """The conversation that a `response.create` brings along.

    Raises:
        RequestError: Names the field that cannot be served.
    """
    history, pictures = History(), 0
    for at, wire in enumerate(items):
        item, param = read_item(wire, limits, f"response.input[{at}]"), f"response.input[{at}].id"
        pictures += item.images
        if pictures > MOST_PICTURES:
            where = f"response.input[{at}].content"
            message = f"{where}: there are {pictures} pictures so far, and {MOST_PICTURES} are served with one response"
            raise RequestError("invalid_value", message, where)
        if history.find(item.id):
            raise RequestError("item_create_duplicate_item_id", f"{param}: {item.id!r} is there twice", param)
        if item.kind == "function_call_output":
            try:
                history.check_output(item)
            except RequestError as error:
                raise error.at(f"response.input[{at}].call_id") from error
        history = history.with_item(item)
    return history


def is_frame(item: Item) -> bool:
    """A picture and no words: a camera frame, as LiveKit's plugin sends them."""
    return item.role == "user" and item.images > 0 and not item.text


def pictures_of(item: WireItem, param: str = "item") -> dict[str, bytes]:
    """The pictures of an item that was read, in their files' form, by the fields in which they stand."""
    parts = enumerate(item.content or [])
    urls = {
        f"{param}.content[{at}].image_url": part.image_url or "" for at, part in parts if part.type == "input_image"
    }
    return {where: base64.b64decode(url.partition(",")[2]) for where, url in urls.items()}


def source_of(item: WireItem) -> VideoSource:
    """Returns what took the last of an item's pictures; unless it says so, a camera."""
    sources = [part.source for part in item.content or [] if part.type == "input_image"]
    return (sources and sources[-1]) or "camera"


def check_image(data: str, param: str) -> None:
    """Checks a picture by its header, without decoding its pixels.

    Raises:
        RequestError: `data` is not base64 of a picture, or the picture is too large or too narrow.
    """
    try:
        file = io.BytesIO(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError) as error:
        raise RequestError("invalid_value", f"{param}: not base64: {error}", param) from error
    try:
        width, height = Image.open(file, formats=FORMATS).size
    except Image.DecompressionBombError as error:
        raise RequestError("invalid_value", f"{param}: the picture is larger than 4096 x 4096", param) from error
    except Exception as error:  # of a file that is broken: decoders raise whatever they stumble over
        message = f"{param}: not a picture that can be read ({', '.join(FORMATS)} can)"
        raise RequestError("invalid_value", message, param) from error
    if width * height > MAX_IMAGE_PIXELS:
        raise RequestError("invalid_value", f"{param}: {width} x {height} is larger than 4096 x 4096", param)
    try:
        fitted(width, height)
    except RequestError as error:
        raise error.at(param) from error


def show_item(item: Item, *, in_progress: bool = False, unheard: bool = False) -> dict[str, Any]:
    """The item as the wire shows it.

    Args:
        unheard: Its sound is still being transcribed; clients add the transcript when it is complete.
    """
    status = "in_progress" if in_progress else "completed" if item.complete else "incomplete"
    if item.kind != "message":
        shown = {"id": item.id, "object": "realtime.item", "type": item.kind, "status": status, "call_id": item.call_id}
        if item.kind == "function_call_output":
            return shown | {"output": item.text}
        return shown | {"name": item.name, "arguments": "" if in_progress else item.text}
    content = [] if in_progress else _parts(item, None if unheard else item.words)
    return {
        "id": item.id,
        "object": "realtime.item",
        "type": "message",
        "status": status,
        "role": item.role,
        "content": content,
    }


def _parts(item: Item, text: str | None) -> list[dict[str, Any]]:
    direction = "output" if item.role == "assistant" else "input"
    if item.channel == "audio":
        return [{"type": f"{direction}_audio", "transcript": text}]
    words = [{"type": f"{direction}_text", "text": text}] if text or not item.images else []
    return words + [{"type": "input_image"}] * item.images


def _data_of(part: Content, where: str) -> str:
    head, _, data = (part.image_url or "").partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        message = f"{where}.image_url: only a data URI (data:image/jpeg;base64,…) is served"
        raise RequestError("invalid_value", message, f"{where}.image_url")
    return data
