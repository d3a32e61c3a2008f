"""Which of our schedulers an engine gets, as arguments of vLLM's."""

from typing import Any

FOLDER = "pipeline.engines.vllm.scheduling"
QUESTION_FIRST = f"{FOLDER}.question_first.QuestionFirstScheduler"
LATE = f"{FOLDER}.late.LateScheduler"
LATE_QUESTION_FIRST = f"{FOLDER}.late.LateQuestionFirstScheduler"


def scheduling(schedule_ahead_ms: float, patient_tokens: int = 0) -> dict[str, Any]:
    """Returns nothing where vLLM's own scheduler does.

    Args:
        schedule_ahead_ms: Before a step is foreseen to end the next one is scheduled; 0: when it begins.
        patient_tokens: Of prompts that nobody waits for, in a step; 0: steps are filled with them.
    """
    told: dict[str, Any] = {}
    if patient_tokens:
        told |= {"scheduler_cls": QUESTION_FIRST, "max_num_scheduled_tokens": patient_tokens}
    if schedule_ahead_ms:
        told["scheduler_cls"] = LATE_QUESTION_FIRST if patient_tokens else LATE
        told["additional_config"] = {"schedule_ahead_ms": schedule_ahead_ms}
    return told
