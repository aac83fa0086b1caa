"""Tiny vision-language models of seven families, with random weights, made in code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from tokenizers import decoders, pre_tokenizers
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.glm4v.image_processing_pil_glm4v import Glm4vImageProcessorPil
from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.llava_onevision import image_processing_pil_llava_onevision as llava
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from enact_assets.answers.models.local_model import pictures_only

PAD, BOS, EOS = "<pad>", "<s>", "<end>"
QWEN_IDS = ("image", "video", "vision_start", "vision_end")
QWEN = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
QWEN_SPAN = {"vision_start_token": "<|vision_start|>", "vision_end_token": "<|vision_end|>"}


def template(picture: str, opening: str = "") -> str:
    """A chat template that writes ``picture`` for a picture, and ``opening`` before an answer."""
    return (
        "{% for m in messages %}<|{{ m.role }}|>{% for c in m.content %}"
        "{% if c.type == 'image' %}" + picture + "{% else %}{{ c.text }}{% endif %}"
        "{% endfor %}<end>{% endfor %}{% if enable_thinking %}think!{% endif %}"
        "{% if add_generation_prompt %}<|assistant|>" + opening + "{% endif %}"
    )


def byte_tokenizer(**named: str) -> Any:
    """A token per byte and the special tokens; ``named`` ones become attributes."""
    special = [PAD, BOS, EOS, "<|user|>", "<|assistant|>", *named.values()]
    words = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    core = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=[])
    )
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(special)
    # Right: the model must set the side that is right for answers.
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        padding_side="right",
        extra_special_tokens=named,
    )


def language(words: Any, **more: Any) -> dict[str, Any]:
    """Settings of the half that writes: two layers, 32 wide."""
    return {
        "vocab_size": len(words),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 4096,
        "pad_token_id": words.pad_token_id,
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.eos_token_id,
        **more,
    }


def sight(**more: Any) -> dict[str, Any]:
    """Settings of the half that sees."""
    heads = {"num_hidden_layers": 2, "num_attention_heads": 2}
    return {"hidden_size": 32, "intermediate_size": 64, **heads, **more}


def _ids(words: Any, *kinds: str) -> dict[str, int]:
    names = [f"{kind}_token" for kind in kinds]
    return {f"{name}_id": words.convert_tokens_to_ids(getattr(words, name)) for name in names}


def qwen2_5_vl() -> tuple[Any, Any]:
    words = byte_tokenizer(**QWEN, **QWEN_SPAN)
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}
    config = transformers.Qwen2_5_VLConfig(
        text_config=language(words, rope_parameters=rope),
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "out_hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "window_size": 56,
            "fullatt_block_indexes": [1],
        },
        **_ids(words, *QWEN_IDS),
    )
    pictures = Qwen2VLImageProcessorPil(size={"shortest_edge": 56**2, "longest_edge": 112**2})
    processor = pictures_only(transformers.Qwen2_5_VLProcessor)(
        pictures, words, chat_template=template("<|vision_start|><|image_pad|><|vision_end|>")
    )
    return transformers.Qwen2_5_VLForConditionalGeneration(config), processor


def qwen3_vl() -> tuple[Any, Any]:
    words = byte_tokenizer(**QWEN, **QWEN_SPAN)
    rope = {"rope_type": "default", "rope_theta": 5e6, "mrope_interleaved": True}
    rope["mrope_section"] = [3, 3, 2]
    config = transformers.Qwen3VLConfig(
        text_config=language(words, head_dim=16, rope_parameters=rope),
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "out_hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "patch_size": 16,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
        },
        **_ids(words, *QWEN_IDS),
    )
    pictures = Qwen2VLImageProcessorPil(
        patch_size=16, size={"shortest_edge": 64**2, "longest_edge": 128**2}
    )
    # Like Qwen3-VL-Thinking, whose prompt opens the reasoning.
    processor = pictures_only(transformers.Qwen3VLProcessor)(
        pictures,
        words,
        chat_template=template("<|vision_start|><|image_pad|><|vision_end|>", "<think>\n"),
    )
    return transformers.Qwen3VLForConditionalGeneration(config), processor


def internvl() -> tuple[Any, Any]:
    words = byte_tokenizer(
        context_image_token="<IMG_CONTEXT>",
        start_image_token="<img>",
        end_image_token="</img>",
        video_token="<video>",
    )
    config = transformers.InternVLConfig(
        text_config={"model_type": "qwen3", **language(words, head_dim=16)},
        vision_config=sight(image_size=[112, 112], patch_size=[14, 14]),
        image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=16,
        tie_word_embeddings=False,
    )
    pictures = GotOcr2ImageProcessorPil(size={"height": 112, "width": 112}, crop_to_patches=False)
    processor = pictures_only(transformers.InternVLProcessor)(
        pictures, words, image_seq_length=16, chat_template=template("<IMG_CONTEXT>\n")
    )
    return transformers.InternVLForConditionalGeneration(config), processor


def llava_onevision() -> tuple[Any, Any]:
    words = byte_tokenizer(image_token="<image>", video_token="<video>")
    grid = [[56, 56], [56, 112], [112, 56], [112, 112]]
    config = transformers.LlavaOnevisionConfig(
        text_config={"model_type": "qwen2", **language(words)},
        vision_config={
            "model_type": "siglip_vision_model",
            **sight(image_size=56, patch_size=14, vision_use_head=False),
        },
        image_grid_pinpoints=grid,
        image_token_index=words.convert_tokens_to_ids("<image>"),
        video_token_index=words.convert_tokens_to_ids("<video>"),
    )
    pictures = llava.LlavaOnevisionImageProcessorPil(
        size={"height": 56, "width": 56}, image_grid_pinpoints=grid
    )
    processor = pictures_only(transformers.LlavaOnevisionProcessor)(
        pictures,
        words,
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=template("<image>\n"),
    )
    return transformers.LlavaOnevisionForConditionalGeneration(config), processor


def gemma3() -> tuple[Any, Any]:
    words = byte_tokenizer(
        boi_token="<start_of_image>", eoi_token="<end_of_image>", image_token="<image_soft_token>"
    )
    # Attention over all tokens in one layer, or the window would hide the pictures.
    layers = {"sliding_window": 64, "layer_types": ["sliding_attention", "full_attention"]}
    # With one table for reading and writing it would repeat the last token of the prompt.
    own = {"tie_word_embeddings": False}
    config = transformers.Gemma3Config(
        text_config=language(words, head_dim=16, query_pre_attn_scalar=16, **layers, **own),
        vision_config=sight(image_size=56, patch_size=14, vision_use_head=False),
        mm_tokens_per_image=16,
        **own,
        boi_token_index=words.convert_tokens_to_ids("<start_of_image>"),
        eoi_token_index=words.convert_tokens_to_ids("<end_of_image>"),
        image_token_index=words.convert_tokens_to_ids("<image_soft_token>"),
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        bos_token_id=words.bos_token_id,
    )
    pictures = Gemma3ImageProcessorPil(size={"height": 56, "width": 56})
    processor = transformers.Gemma3Processor(
        pictures, words, image_seq_length=16, chat_template=template("<start_of_image>")
    )
    return transformers.Gemma3ForConditionalGeneration(config), processor


def glm4v() -> tuple[Any, Any]:
    words = byte_tokenizer(
        image_token="<|image|>",
        video_token="<|video|>",
        image_start_token="<|begin_of_image|>",
        image_end_token="<|end_of_image|>",
        video_start_token="<|begin_of_video|>",
        video_end_token="<|end_of_video|>",
    )
    kinds = ("image", "image_start", "image_end", "video", "video_start", "video_end")
    rope = {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}
    config = transformers.Glm4vConfig(
        text_config=language(words, rope_parameters=rope),
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "out_hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "image_size": 112,
            "patch_size": 14,
        },
        **_ids(words, *kinds),
    )
    pictures = Glm4vImageProcessorPil(size={"shortest_edge": 56**2, "longest_edge": 2 * 112**2})
    processor = pictures_only(transformers.Glm4vProcessor)(
        pictures, words, chat_template=template("<|begin_of_image|><|image|><|end_of_image|>")
    )
    return transformers.Glm4vForConditionalGeneration(config), processor


def idefics3() -> tuple[Any, Any]:
    words = byte_tokenizer(
        image_token="<image>",
        fake_token="<fake_token_around_image>",
        end_token="<end_of_utterance>",
        global_token="<global-img>",
    )
    config = transformers.Idefics3Config(
        text_config={"model_type": "llama", **language(words)},
        vision_config=sight(image_size=56, patch_size=14),
        image_token_id=words.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    # Four tiles and the whole.
    pictures = Idefics3ImageProcessorPil(
        size={"longest_edge": 112}, max_image_size={"longest_edge": 56}
    )
    processor = transformers.Idefics3Processor(
        pictures, words, image_seq_len=4, chat_template=template("<image>")
    )
    return transformers.Idefics3ForConditionalGeneration(config), processor


MAKERS = (qwen2_5_vl, qwen3_vl, internvl, llava_onevision, gemma3, glm4v, idefics3)
FAMILIES: dict[str, Callable[[], tuple[Any, Any]]] = {make.__name__: make for make in MAKERS}


def save(family: str, folder: Path, seed: int = 0) -> None:
    """Write a model of ``family`` as a download from the hub has it.

    Weights are drawn wide: at the usual 0.02 a model says the same whatever it is shown.
    """
    torch.manual_seed(seed)
    model, processor = FAMILIES[family]()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(std=0.25)
    # Published settings sample, which must not reach our answers.
    model.generation_config.update(do_sample=True, temperature=0.7, top_p=0.8, top_k=20)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
