"""Qwen3-ASR as vLLM has it, but its encoder can be CUDA graphs: one a window of sound, of the next larger of its sizes.

vLLM's own encoder asks the GPU for lengths as it goes, and is given each of its layers by the processor.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, pad
from vllm.config import VllmConfig
from vllm.model_executor.models.interfaces import SupportsEncoderCudaGraph
from vllm.model_executor.models.qwen3_asr import (
    Qwen3ASRDummyInputsBuilder,
    Qwen3ASRForConditionalGeneration,
    Qwen3ASRMultiModalProcessor,
    Qwen3ASRProcessingInfo,
)
from vllm.multimodal import MULTIMODAL_REGISTRY
from vllm.v1.worker.encoder_cudagraph_defs import (
    EncoderCudaGraphCaptureInputs,
    EncoderCudaGraphConfig,
    EncoderCudaGraphReplayBuffers,
    EncoderItemSpec,
)

from pipeline.models.process_title import name_engine
from pipeline.models.qwen3_asr.state import RecogniserState
from pipeline.models.qwen3_asr.windows import CHUNK, audio_tokens
from pipeline.models.shared.decoder_attention.launch import SHORT
from pipeline.models.shared.decoder_attention.layer import with_own_attention

PATH = "default"
NEVER = 1 << 30  # tokens that no graph is for
SOUND, LENGTHS = "input_audio_features", "audio_feature_lengths"  # of vLLM's model
CHUNKS, ENDS, LONGEST = "chunks", "ends", "longest"


@MULTIMODAL_REGISTRY.register_processor(
    Qwen3ASRMultiModalProcessor, info=Qwen3ASRProcessingInfo, dummy_inputs=Qwen3ASRDummyInputsBuilder
)
class GraphedQwen3ASRForConditionalGeneration(Qwen3ASRForConditionalGeneration, SupportsEncoderCudaGraph):
    """A sound that is shorter than a chunk is padded less, and has no graph."""

    def __init__(self, *, vllm_config: VllmConfig, prefix: str = "") -> None:
        name_engine("asr")
        super().__init__(vllm_config=vllm_config, prefix=prefix)
        with_own_attention(self.language_model.model, vllm_config, "the recogniser", SHORT)

    def get_model_state_cls(self) -> type[RecogniserState]:
        return RecogniserState

    def forward(self, input_ids: Tensor | None, positions: Tensor, *args: Any, **kwargs: Any) -> Any:
        """Gives [tokens] positions as [3, tokens]: long steps keep vLLM's kernel, with which goldens are compared."""
        return super().forward(input_ids, positions.expand(3, -1), *args, **kwargs)

    def get_encoder_cudagraph_config(self) -> EncoderCudaGraphConfig:
        width = self.config.audio_config.output_dim
        return EncoderCudaGraphConfig(["audio"], [CHUNKS, ENDS, LONGEST], width)

    def get_encoder_cudagraph_budget_range(self, vllm_config: Any) -> tuple[int, int]:
        return audio_tokens(CHUNK), audio_tokens(self.audio_tower.n_window_infer + CHUNK)

    def get_encoder_cudagraph_item_specs(self, mm_kwargs: dict[str, Any]) -> list[EncoderItemSpec]:
        return [_spec(frames) for frames in mm_kwargs[LENGTHS].tolist()]

    def select_encoder_cudagraph_items(self, mm_kwargs: dict[str, Any], indices: list[int]) -> dict[str, Any]:
        lengths = mm_kwargs[LENGTHS]
        sounds = mm_kwargs[SOUND].split(lengths.tolist(), dim=1)
        return {SOUND: torch.cat([sounds[at] for at in indices], dim=1), LENGTHS: lengths[indices]}

    def prepare_encoder_cudagraph_capture_inputs(
        self, token_budget: int, max_batch_size: int, max_frames_per_batch: int, device: torch.device,
        dtype: torch.dtype, path: str = PATH, axis_keys: Any = None,
    ) -> EncoderCudaGraphCaptureInputs:  # fmt: skip
        chunks = token_budget // audio_tokens(CHUNK)
        sound = torch.zeros(self.audio_tower.num_mel_bins, chunks * CHUNK, device=device, dtype=dtype)
        values = self._inputs(sound)
        output = {CHUNKS: values[CHUNKS].contiguous(), ENDS: values[ENDS].to(device)}
        return EncoderCudaGraphCaptureInputs(values | output)

    def prepare_encoder_cudagraph_replay_buffers(
        self, mm_kwargs: dict[str, Any], max_batch_size: int, max_frames_per_batch: int, path: str = PATH
    ) -> EncoderCudaGraphReplayBuffers:
        return EncoderCudaGraphReplayBuffers(self._inputs(mm_kwargs[SOUND].to(self.audio_tower.dtype)))

    def encoder_cudagraph_forward(self, inputs: dict[str, Tensor], path: str = PATH) -> Tensor:
        """Encodes chunks of sound with shapes that do not change, so that a CUDA graph can replay it.

        Args:
            inputs: Chunks of sound, shape [chunks, bands, CHUNK], zero where there is none; where each stretch that
                is attended to at once begins and the last one ends, in tokens; and how long one is at most.

        Returns:
            Shape [13 * chunks, width]; those behind the last stretch mean nothing.
        """
        tower = self.audio_tower
        seen = inputs[CHUNKS].unsqueeze(1)
        for convolution in (tower.conv2d1, tower.conv2d2, tower.conv2d3):
            seen = gelu(convolution(seen))
        hidden = tower.conv_out(seen.permute(0, 3, 1, 2).contiguous().flatten(2))
        places = tower.positional_embedding.positional_embedding[: hidden.shape[1]]
        hidden = (hidden + places.to(hidden.dtype)).flatten(0, 1)
        for layer in tower.layers:
            hidden = layer(hidden, inputs[ENDS], inputs[LONGEST])
        encoded: Tensor = tower.proj2(tower.act(tower.proj1(tower.ln_post(hidden))))
        return encoded

    def encoder_eager_forward(self, mm_kwargs: dict[str, Any], path: str = PATH) -> Tensor:
        return torch.cat(list(self.embed_multimodal(**mm_kwargs)))

    def embed_multimodal(self, **kwargs: Any) -> tuple[Tensor, ...]:
        """Without graphs, what they would compute."""
        return tuple(self._encoded(kwargs))

    def _encoded(self, kwargs: dict[str, Any]) -> Iterator[Tensor]:
        for at, frames in enumerate(kwargs[LENGTHS].tolist()):
            one = self.select_encoder_cudagraph_items(kwargs, [at])
            if frames < CHUNK:
                yield from self._process_audio_input({"input_features": one[SOUND], LENGTHS: one[LENGTHS]})
                continue
            values = self._inputs(one[SOUND].to(self.audio_tower.dtype))
            values[ENDS] = values[ENDS].to(one[SOUND].device)
            yield self.encoder_cudagraph_forward(values)[: audio_tokens(frames)]

    def _inputs(self, sound: Tensor) -> dict[str, Tensor]:
        """Sound of one window, shape [bands, frames]; what fills up its last chunk is attended to by itself."""
        frames = sound.shape[1]
        whole = pad(sound, (0, -frames % CHUNK))
        window = audio_tokens(self.audio_tower.n_window_infer)
        tokens, most = audio_tokens(frames), audio_tokens(whole.shape[1])
        return {
            CHUNKS: whole.unflatten(1, (-1, CHUNK)).transpose(0, 1),
            ENDS: torch.tensor([0, min(window, tokens), tokens, most], dtype=torch.int32),
            LONGEST: torch.tensor(window),  # stays on the processor, as a graph holds it
        }


def _spec(frames: int) -> EncoderItemSpec:
    tokens = audio_tokens(frames)
    return EncoderItemSpec(frames, tokens, {PATH: tokens if frames >= CHUNK else NEVER})
