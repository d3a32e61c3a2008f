"""A scheduler of vLLM's in which patient prompts are not prefilled beside a question that waits for its first tokens.

vLLM's own serves prompts by priority only as long as they have not begun: one that has goes first in every step, and
whatever room a question leaves in its step is filled. The question waits for all of it.
"""

from collections.abc import Iterator
from typing import Any

from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.output import SchedulerOutput
from vllm.v1.request import Request

from pipeline.engines.vllm.scheduling.prefill_hold import PrefillHold, waits_for_first_tokens

QUESTION = 0  # the priority of what somebody waits for; a higher number is patient


class QuestionFirstScheduler(AsyncScheduler):
    """What is decoded goes on, and first; a patient prompt keeps what was prefilled of it, and is preempted as ever.

    A question also waits for the step that is going on, and for the next one, which has been scheduled by then. So in a
    step without a question at most `max_num_scheduled_tokens` of the engine's arguments are patient prompts'; a step
    with one has room for `max_num_batched_tokens`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._patient_tokens: int = self.scheduler_config.max_num_scheduled_tokens
        self._step_tokens: int = self.scheduler_config.max_num_batched_tokens
        self._hold = PrefillHold()

    def schedule(self, throttle_prefills: bool = False) -> SchedulerOutput:
        self.running.sort(key=lambda each: each.priority)  # in whose order a step is filled
        begun = [each for each in self.running if each.priority > QUESTION and _is_prefilling(each)]
        unbegun = [each for each in self.waiting if each.priority > QUESTION]
        waits = self._question_waits()
        self._hold = self._hold.next(wanted=bool(begun or unbegun) and waits)
        self.max_num_scheduled_tokens = self._step_tokens
        if not self._hold.steps:
            if (begun or unbegun) and not waits:  # else questions would take what is left for patient prompts
                decoded = len(self.running) - len(begun)
                self.max_num_scheduled_tokens = min(decoded + self._patient_tokens, self._step_tokens)
            return super().schedule(throttle_prefills)
        for request in begun:  # vLLM counts this step first, and passes over who is not eligible before another one
            request.next_decode_eligible_step = self.current_step + 2
        self.waiting.remove_requests(unbegun)
        try:
            output = super().schedule(throttle_prefills)
        finally:
            for request in unbegun:
                self.waiting.add_request(request)
        if not output.total_num_scheduled_tokens:
            self._hold = self._hold.spent()
        return output

    def _question_waits(self) -> bool:
        return any(
            waits_for_first_tokens(each.num_output_tokens + each.num_output_placeholders, each.max_tokens)
            for each in self._questions()
        )

    def _questions(self) -> Iterator[Request]:
        return (each for queue in (self.running, self.waiting) for each in queue if each.priority == QUESTION)


def _is_prefilling(request: Request) -> bool:
    """Some of its prompt is left to prefill."""
    return request.num_computed_tokens < request.num_prompt_tokens
