"""A scheduler of vLLM's in which patient prompts are not prefilled beside a question that waits for its first tokens.

vLLM's own serves prompts by priority only as long as they have not begun: one that has goes first in every step, and
whatever room a question leaves in its step is filled. The question waits for all of it. Likewise a second of video
waits until a long prompt of less priority that has begun, such as what pruning leaves, has been prefilled whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.output import SchedulerOutput
from vllm.v1.request import Request

from pipeline.engines.vllm.scheduling.prefill_hold import (
    LATER_STEPS,
    SPOKEN_TOKENS,
    PrefillHold,
    waits_for_first_tokens,
)
from pipeline.types.chunks import Priority

QUESTION = Priority.QUESTION  # of a higher number it is patient


class QuestionFirstScheduler(AsyncScheduler):
    """What is decoded goes on, and first; a patient prompt keeps what was prefilled of it, and is preempted as ever.

    A question also waits for the step that is going on. Another one with patient prompts is not put behind it before it
    has ended, as vLLM would, nor one of answers that have written `SPOKEN_TOKENS`: they go on in the steps of patient
    prompts. In a step without a question at most `max_num_scheduled_tokens` of the engine's arguments are theirs; a
    step with one has room for `max_num_batched_tokens`. A patient prompt that has begun steps back for those of a lower
    priority number, for at most `LATER_STEPS` in a row.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._patient_tokens: int = self.scheduler_config.max_num_scheduled_tokens
        self._step_tokens: int = self.scheduler_config.max_num_batched_tokens
        self._hold, self._later = PrefillHold(), PrefillHold(most=LATER_STEPS)
        self._under_way: SchedulerOutput | None = None  # the step with patient prompts

    def schedule(self, throttle_prefills: bool = False) -> SchedulerOutput:
        self.running.sort(key=_rank)  # in whose order a step is filled
        begun = [each for each in self.running if each.priority > QUESTION and _is_prefilling(each)]
        unbegun = [each for each in self.waiting if each.priority > QUESTION]
        waits = self._question_waits()
        self._hold = self._hold.next(wanted=bool(begun or unbegun) and waits)
        self.max_num_scheduled_tokens = self._step_tokens
        if self._hold.steps or self._under_way:
            spoken = [] if waits else [each for each in self.running if each.num_output_tokens >= SPOKEN_TOKENS]
            output = self._without([*begun, *spoken], unbegun, throttle_prefills)
            if self._hold.steps and not output.total_num_scheduled_tokens:
                self._hold = self._hold.spent()
            return output
        if (begun or unbegun) and not waits:  # else questions would take what is left for patient prompts
            decoded = len(self.running) - len(begun)
            self.max_num_scheduled_tokens = min(decoded + self._patient_tokens, self._step_tokens)
        output = self._in_order(begun, unbegun, throttle_prefills)
        if any(each.request_id in output.num_scheduled_tokens for each in (*begun, *unbegun)):
            self._under_way = output
        elif self._later.steps:
            self._later = self._later.spent()  # those of lower numbers have no place: nothing is won by stepping back
        return output

    def update_from_output(self, scheduler_output: SchedulerOutput, *args: Any, **kwargs: Any) -> Any:
        if scheduler_output is self._under_way:
            self._under_way = None
        return super().update_from_output(scheduler_output, *args, **kwargs)

    def _without(
        self, begun: Sequence[Request], unbegun: Sequence[Request], throttle_prefills: bool
    ) -> SchedulerOutput:
        """A step in which those have no part."""
        self._pass_over(begun)
        self.waiting.remove_requests(unbegun)
        try:
            return super().schedule(throttle_prefills)
        finally:
            for request in unbegun:
                self.waiting.add_request(request)

    def _in_order(
        self, begun: Sequence[Request], unbegun: Sequence[Request], throttle_prefills: bool
    ) -> SchedulerOutput:
        """A step of patient prompts: what has begun makes room for those of lower numbers, but not for ever."""
        later = [each for each in begun if any(other.priority < each.priority for other in (*begun, *unbegun))]
        self._later = self._later.next(wanted=bool(later))
        if self._later.steps:
            passed = [each for each in later if any(other.priority < each.priority for other in unbegun)]
            behind = [each for each in unbegun if any(other.priority <= each.priority for other in passed)]
            return self._without(passed, behind, throttle_prefills)
        first = [each for each in self.running if each in later or not _is_prefilling(each)]
        self.running.sort(key=lambda each: QUESTION if each in first else each.priority)
        return super().schedule(throttle_prefills)

    def _pass_over(self, begun: Iterable[Request]) -> None:
        """vLLM counts this step first, and passes over who is not eligible before another one."""
        for request in begun:
            request.next_decode_eligible_step = self.current_step + 2

    def _question_waits(self) -> bool:
        return any(
            waits_for_first_tokens(each.num_output_tokens + each.num_output_placeholders, each.max_tokens)
            for each in self._questions()
        )

    def _questions(self) -> Iterator[Request]:
        return (each for queue in (self.running, self.waiting) for each in queue if each.priority == QUESTION)


def _rank(request: Request) -> tuple[bool, bool, int]:
    """Its place in a step: behind questions is what is decoded, a token each, and then prompts."""
    return request.priority > QUESTION, _is_prefilling(request), request.priority


def _is_prefilling(request: Request) -> bool:
    """Some of its prompt is left to prefill."""
    return request.num_computed_tokens < request.num_prompt_tokens
