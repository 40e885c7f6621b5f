"""A model file small enough for every test: real GGUF, 1 MB, made here, that says the same sentence to everyone.

It is a llama of one layer whose attention and feed-forward weights are zero, so that the last token alone
decides the next: its embedding is one number of its own, and the output layer leads from that number to the
token that follows. Tokens are bytes (the alphabet that SentencePiece falls back to) and the words of the
sentence; whatever is not in it is followed by the end. It has no chat template, as base models have none.
The layout is that of the GGUF specification, version 3.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from pathlib import Path

__all__ = ["SAYS", "write_gguf"]

WORDS = ("▁I", "▁run", "▁on", "▁this", "▁device", ".")
SAYS = "".join(WORDS).replace("▁", " ").strip()
AFTER = ":"  # the last character of a transcript that it is to go on with
WIDTH, HEADS, FEED, CONTEXT = 288, 9, 32, 4096
ALIGNMENT = 32
_UNKNOWN, _BEGIN, _END = 0, 1, 2
_NORMAL, _IS_UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6  # kinds of tokens
_U32, _I32, _F32, _STRING, _ARRAY = 4, 5, 6, 8, 9  # kinds of values
_SINGLE, _HALF = 0, 1  # kinds of numbers in tensors


def write_gguf(path: Path) -> Path:
    """Writes the model and returns its path."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *WORDS]
    kinds = [_IS_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * len(WORDS)]
    chain = [_token_of(AFTER), *range(len(tokens) - len(WORDS), len(tokens)), _END]
    follows = dict(itertools.pairwise(chain))
    values = [
        _value("general.architecture", _STRING, "llama"),
        _value("general.name", _STRING, "small"),
        _value("llama.context_length", _U32, CONTEXT),
        _value("llama.embedding_length", _U32, WIDTH),
        _value("llama.block_count", _U32, 1),
        _value("llama.feed_forward_length", _U32, FEED),
        _value("llama.attention.head_count", _U32, HEADS),
        _value("llama.attention.layer_norm_rms_epsilon", _F32, 1e-5),
        _value("tokenizer.ggml.model", _STRING, "llama"),
        _values("tokenizer.ggml.tokens", _STRING, tokens),
        _values("tokenizer.ggml.scores", _F32, [0.0] * len(tokens)),
        _values("tokenizer.ggml.token_type", _I32, kinds),
        _value("tokenizer.ggml.unknown_token_id", _U32, _UNKNOWN),
        _value("tokenizer.ggml.bos_token_id", _U32, _BEGIN),
        _value("tokenizer.ggml.eos_token_id", _U32, _END),
    ]
    ones, square = _half([1.0] * WIDTH, _SINGLE), bytes(2 * WIDTH * WIDTH)
    tensors = {
        "token_embd.weight": ((WIDTH, len(tokens)), _HALF, _unit_rows(range(len(tokens)))),
        "blk.0.attn_norm.weight": ((WIDTH,), _SINGLE, ones),
        **{
            f"blk.0.attn_{name}.weight": ((WIDTH, WIDTH), _HALF, square) for name in ("q", "k", "v", "output")
        },
        "blk.0.ffn_norm.weight": ((WIDTH,), _SINGLE, ones),
        "blk.0.ffn_gate.weight": ((WIDTH, FEED), _HALF, bytes(2 * WIDTH * FEED)),
        "blk.0.ffn_up.weight": ((WIDTH, FEED), _HALF, bytes(2 * WIDTH * FEED)),
        "blk.0.ffn_down.weight": ((FEED, WIDTH), _HALF, bytes(2 * WIDTH * FEED)),
        "output_norm.weight": ((WIDTH,), _SINGLE, ones),
        "output.weight": ((WIDTH, len(tokens)), _HALF, _output(len(tokens), follows)),
    }
    path.write_bytes(_file(values, tensors))
    return path


def _token_of(character: str) -> int:
    return 3 + ord(character)


def _unit_rows(ones: Sequence[int]) -> bytes:
    """A row for each, with a one at that place and else zeros."""
    return b"".join(_half([float(at == one) for at in range(WIDTH)]) for one in ones)


def _output(count: int, follows: dict[int, int]) -> bytes:
    """Row `n` has a one for every token that token `n` follows."""
    rows = [[0.0] * WIDTH for _ in range(count)]
    for token in range(count):
        rows[follows.get(token, _END)][token] = 1.0
    return b"".join(map(_half, rows))


def _half(numbers: Sequence[float], kind: int = _HALF) -> bytes:
    return struct.pack(f"<{len(numbers)}{'e' if kind == _HALF else 'f'}", *numbers)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _plain(kind: int, value: object) -> bytes:
    if kind == _STRING:
        return _text(str(value))
    return struct.pack({_U32: "<I", _I32: "<i", _F32: "<f"}[kind], value)


def _value(name: str, kind: int, value: object) -> bytes:
    return _text(name) + struct.pack("<I", kind) + _plain(kind, value)


def _values(name: str, kind: int, values: Sequence[object]) -> bytes:
    head = _text(name) + struct.pack("<IIQ", _ARRAY, kind, len(values))
    return head + b"".join(_plain(kind, value) for value in values)


def _file(values: Sequence[bytes], tensors: dict[str, tuple[tuple[int, ...], int, bytes]]) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values)) + b"".join(values)
    body = bytearray()
    for name, (shape, kind, data) in tensors.items():
        head += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        head += struct.pack("<IQ", kind, len(body))
        body += data + bytes(-len(data) % ALIGNMENT)
    return head + bytes(-len(head) % ALIGNMENT) + body
