"""What the rules notice in a set of utterances whose author has never seen them, and how much of it is right.

The set is for the final figure only: nobody who changes the rules reads it. The last line is one line of
JSON.
"""

from __future__ import annotations

from tests.bench._page import finish
from tests.unit.test_utterances import measured, read


def main() -> None:
    blind = read("utterances_blind.jsonl")
    numbers: dict[str, float] = {}
    for lang in ("en", "zh"):
        precision, recall = measured(lang, blind)
        print(f"{lang}: precision {precision:.3f}, recall {recall:.3f}")
        numbers |= {f"{lang}_precision": round(precision, 3), f"{lang}_recall": round(recall, 3)}
    finish("extraction", utterances=len(blind), **numbers)


if __name__ == "__main__":
    main()
