"""The session core passes values: nobody is handed a function of somebody else's, or changed from outside."""

import ast
import inspect
import sys
from collections.abc import Iterator

from pipeline.context.conversation import Conversation
from pipeline.context.conversation_memory import ConversationMemory
from pipeline.context.pruner import ContextPruner
from pipeline.context.window import WindowLimits
from pipeline.session.active_response import ActiveResponse
from pipeline.session.pending_input import PendingInput
from pipeline.session.response_manager import ResponseManager
from pipeline.session.session import Session
from pipeline.session.spoken_input import SpokenInput
from pipeline.session.utterance import Utterance
from pipeline.speech.input_audio_buffer import InputAudioBuffer
from pipeline.speech.speech_events import UtteranceBegan
from pipeline.speech.streaming_transcriber import StreamingTranscriber
from pipeline.speech.vad_frontend import VadFrontend
from pipeline.speech.voice_activity import VoiceActivity
from pipeline.turns.speculative_output import SpeculativeOutput
from pipeline.turns.stages import PipelineStages
from pipeline.turns.turn import run_turn
from pipeline.turns.turn_context import TurnContext
from pipeline.turns.turn_counter import TurnCounter
from pipeline.types.history import History
from pipeline.types.session_options import SessionOptions
from pipeline.types.turn_request import TurnRequest
from pipeline.vision.camera_watcher import CameraWatcher
from pipeline.vision.offers import OfferBook
from pipeline.vision.prefill_tracker import PrefillTracker
from pipeline.vision.session_state import SessionState
from pipeline.vision.video_buffer import VideoBuffer
from pipeline.vision.vision_controller import VisionController

CORE = (
    *(
        VoiceActivity,
        ActiveResponse,
        ResponseManager,
        TurnRequest,
        Conversation,
        ConversationMemory,
        VadFrontend,
        ContextPruner,
        StreamingTranscriber,
        SpeculativeOutput,
        History,
        WindowLimits,
        InputAudioBuffer,
    ),
    *(
        OfferBook,
        PrefillTracker,
        VideoBuffer,
        Session,
        SessionState,
        SessionOptions,
        VisionController,
        PipelineStages,
        TurnContext,
        TurnCounter,
        PendingInput,
        SpokenInput,
    ),
    *(Utterance, UtteranceBegan, CameraWatcher, run_turn),
)
TREES = {each.__module__: ast.parse(inspect.getsource(sys.modules[each.__module__])) for each in CORE}


def test_no_constructor_takes_a_function() -> None:
    assert [found for name, tree in TREES.items() for found in functions_taken(name, tree)] == []


def test_no_constructor_is_handed_a_lambda_or_a_method() -> None:
    assert [found for name, tree in TREES.items() for found in functions_handed(name, tree)] == []


def test_nothing_is_assigned_to_an_object_from_outside() -> None:
    assert [found for name, tree in TREES.items() for found in assigned(name, tree)] == []


def test_what_is_forbidden_is_found() -> None:
    tree = ast.parse(
        """
class A:
    a: Callable[[], None]

    def __init__(self, b: Callable[[], None] | None, *, c: "Callable") -> None:
        self.d = B(lambda: None, self._e, f=lambda: None)
        self.d.g = 1
        self.d.h, self.i = 2, 3
        self.d.j += 1

    def _e(self) -> None: ...
"""
    )
    assert [*functions_taken("m", tree)] == ["m:3", "m:5", "m:5"]
    assert [*functions_handed("m", tree)] == ["m:6"] * 3
    assert sorted(assigned("m", tree)) == ["m:7", "m:8", "m:9"]


def functions_taken(name: str, tree: ast.Module) -> Iterator[str]:
    """Fields and arguments of constructors; a Protocol that says what it is for is no bare function."""
    for each in classes(tree):
        for node in each.body:
            if isinstance(node, ast.AnnAssign) and "Callable" in ast.unparse(node.annotation):
                yield f"{name}:{node.lineno}"
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                notes = [argument.annotation for argument in arguments if argument.annotation]
                yield from (f"{name}:{note.lineno}" for note in notes if "Callable" in ast.unparse(note))


def functions_handed(name: str, tree: ast.Module) -> Iterator[str]:
    methods = {
        node.name
        for each in classes(tree)
        for node in each.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2][:1].isupper():
            for value in (*call.args, *(keyword.value for keyword in call.keywords)):
                method = (
                    isinstance(value, ast.Attribute) and ast.unparse(value.value) == "self" and value.attr in methods
                )
                if method or isinstance(value, ast.Lambda):
                    yield f"{name}:{value.lineno}"


def assigned(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) != "self" and not isinstance(node.ctx, ast.Load):
            yield f"{name}:{node.lineno}"


def classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
