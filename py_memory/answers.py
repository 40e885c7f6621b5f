"""An answer as it arrives, the sentences it may end with, and those who are told of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .store import MAX_MESSAGE_BYTES
from .text import clean

__all__ = ["SAYS", "Answer", "OnEvent", "Teller"]

OWN_BYTES = 32 << 10  # of an answer, for a question or a sentence at its end

OnEvent = Callable[[Mapping[str, Any]], None]

SAYS = {
    "failed": {
        "en": "No answer this time: {reason} Your message is kept; you can try again.",
        "zh": "这次没能回答：{reason} 你的消息已保存，可以再试一次。",
    },
    "empty": {"en": "the model gave an empty answer.", "zh": "模型没有给出内容。"},
    "broken": {"en": "the model stopped with an error ({error}).", "zh": "模型出错停止了（{error}）。"},
    "endless": {
        "en": "the model kept calling tools without answering.",
        "zh": "模型一直在调用工具，没有给出回答。",
    },
    "bound": {
        "en": "(I stopped after {count} rounds of tool calls. Say “go on” if there is more to do.)",
        "zh": "（工具已调用 {count} 轮，我先停在这里。如果还没做完，请说“继续”。）",
    },
    "length": {
        "en": "(The model reached the longest answer it can give. Say “go on” for the rest.)",
        "zh": "（已达到模型单次回答的长度上限。要看后面的内容，请说“继续”。）",
    },
    "long": {
        "en": "the answer grew over 1 MiB and was cut here.",
        "zh": "回答超过 1 MiB，在此截断。",
    },
    "ask": {
        "en": "I would like to do this:",
        "zh": "我想执行：",
    },
    "ask_doubtful": {
        "en": " (whether it can be done could not be checked: {why})",
        "zh": "（无法检查是否可行：{why}）",
    },
    "ask_end": {"en": "Shall I? Say “yes” or “no”.", "zh": "可以吗？请说“是的”或“不”。"},
    "stopped": {"en": "(stopped)", "zh": "（已停止）"},
    "interrupted": {"en": "(interrupted)", "zh": "（已中断）"},
    "undone": {
        "en": "This was undone: nothing is forgotten.",
        "zh": "已撤销，什么都没有忘掉。",
    },
}


class Teller:
    """Passes events on. A listener that fails hears no more; its error is raised when the round is whole."""

    def __init__(self, listener: OnEvent | None) -> None:
        self._listener = listener
        self._failure: Exception | None = None

    def __call__(self, event: Mapping[str, Any]) -> None:
        if self._listener is None or self._failure is not None:
            return
        try:
            self._listener(event)
        except Exception as error:
            self._failure = error

    def raise_what_failed(self) -> None:
        if self._failure is not None:
            raise self._failure


@dataclass
class Answer:
    """An answer in the making. What goes into it is told to the listener as a delta at once."""

    message_id: str
    language: str
    tell: Teller
    pieces: list[str] = field(default_factory=list)
    room: int = MAX_MESSAGE_BYTES - OWN_BYTES  # of UTF-8 left, besides what the agent says itself
    uses: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    status: str = "complete"
    intent: str | None = None
    prompt: dict[str, Any] = field(default_factory=dict)  # what the prompt was made of

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, text: str) -> bool:
        """Takes a piece, or as much of it as there is room for. Whether all of it was."""
        data = clean(text)[0].encode()
        fitting = data[: self.room].decode(errors="ignore")
        self.pieces.append(fitting)
        self.room -= len(data)
        self.tell({"type": "delta", "message_id": self.message_id, "text": fitting})
        return self.room >= 0

    def close_with(self, sentence: str) -> None:
        """A sentence of the agent's own below what the model said. There is always room for it."""
        said = ("\n\n" if self.text.strip() else "") + clean(sentence)[0]
        said = said.encode()[: OWN_BYTES // 2].decode(errors="ignore")
        self.pieces.append(said)
        self.tell({"type": "delta", "message_id": self.message_id, "text": said})

    def fail(self, reason: str) -> None:
        self.status = "failed"
        self.pieces.append(
            ("\n\n" if self.text.strip() else "") + SAYS["failed"][self.language].format(reason=reason)
        )

    def stop(self) -> None:
        self.status = "stopped"

    def add_usage(self, usage: Mapping[str, int]) -> None:
        """Tokens, over all requests of the answer."""
        total = self.prompt.setdefault("usage", {})
        for name, count in usage.items():
            if isinstance(count, int):
                total[name] = total.get(name, 0) + count

    def unique_uses(self) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Each memory once, in the order in which it came first."""
        last = {(kind, id): (kind, id, why) for kind, id, why in reversed(self.uses)}
        return list(last.values())[::-1]
