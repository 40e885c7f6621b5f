"""What the rules notice in a set of utterances whose author has never seen them, and how much of it is right.

The set is for the final figure only: nobody who changes the rules reads it. Before it stands, from the sets
that they do read, how much of what each kind of rule proposes is right, and the confidence that it is given.
The last line is one line of JSON.
"""

from __future__ import annotations

from py_memory.extraction.confidence import confidence_of, smoothed
from tests.bench._page import finish
from tests.unit.test_utterances import DEVELOPMENT, measured, measured_by_rule, read


def main() -> None:
    print(f"{'kind of rule':<28}{'proposed':>9}{'right':>7}{'wrong':>7}{'measured':>10}{'given':>7}")
    for rule, (right, proposed) in sorted(measured_by_rule(DEVELOPMENT).items()):
        figures = f"{proposed:>9}{right:>7}{proposed - right:>7}{smoothed(right, proposed):>10.3f}"
        print(f"{rule:<28}{figures}{confidence_of(rule):>7.2f}")
    blind = read("utterances_blind.jsonl")
    numbers: dict[str, float] = {}
    for lang in ("en", "zh"):
        precision, recall = measured(lang, blind)
        print(f"{lang}: precision {precision:.3f}, recall {recall:.3f}")
        numbers |= {f"{lang}_precision": round(precision, 3), f"{lang}_recall": round(recall, 3)}
    finish("extraction", utterances=len(blind), **numbers)


if __name__ == "__main__":
    main()
