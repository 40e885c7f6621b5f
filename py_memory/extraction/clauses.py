"""Cutting a text into sentences and clauses that know where they stand, so that every fact keeps its exact
quote."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Clause", "Found", "clauses", "sentences", "slug", "split_statement", "words"]

# A point that ends no sentence: of an initial, of a title or of a saint or mountain before its name, of an
# abbreviation in mid-sentence. A word that begins sentences shows that one did end there (“on Main St. I …”).
_BEGINS = r"(?:I(?:'\w+)?|[Mm]y|[Ww]e(?:'\w+)?|[Oo]ur|[Yy]ou|[Yy]our|[Hh]e|[Ss]he|[Ii]t(?:'\w+)?|[Tt]hey|[Hh]is|[Hh]er|[Tt]heir|i(?:'\w+)?|The|This|That|There|A|An|And|But|So|In|On|At|[Pp]lease|[Rr]emember|[Rr]emind|[Nn]ow|[Aa]lso|Then)\b"
_TITLE = (
    r"(?:(?<=\b[DMJS]r)|(?<=\b[MS]t)|(?<=\bMs)|(?<=\b[FL]t)|(?<=\bMrs)|(?<=\bSte)|(?<=\bMme)|(?<=\bRev)|(?<=\bGen)|(?<=\bCol)|(?<=\bSgt)"
    r"|(?<=\bSen)|(?<=\bGov)|(?<=\bHon)|(?<=\bProf)|(?<=\bCapt)|(?<=\bPres)|(?<=\b[dm]r)|(?<=\bmrs)|(?<=\bprof))"
)
_SHORTENED = (
    r"(?:(?<=\b[AaPpEe]\.[MmGg])|(?<=\d[AaPp]\.[Mm])|(?<=\bi\.e)|(?<=\bvs)|(?<=\betc)|(?<=\bapprox)|(?<=\bInc)|(?<=\bLtd)|(?<=\bCorp)|(?<=\bCo)|(?<=\bSt)|(?<=\b[JS]r)"
    r"|(?<=\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec))|(?<=\bSept)|(?<=\b(?:Tues|Thur))|(?<=\bThurs))"
)
_DATED = r"(?:\d|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b)"
_SENTENCE = re.compile(
    r"(?:[^.!?。！？\n…]|[.!?](?=\w)"
    rf"|(?<=\b[A-Z])\.(?![ \t]+(?!\w\.){_BEGINS})"
    rf"|{_TITLE}\.(?=[ \t]+(?!{_BEGINS})[A-Z])|{_SHORTENED}\.(?=[ \t]*,|[ \t]+(?!{_BEGINS})(?:[a-z]|{_DATED})))+"
    r"(?:[.!?。！？…]+[)）\"'”’」]*)?"
)
# No part begins with a repetition of white space: clauses are stripped anyway, and a long run of it would be
# gone over again from each of its characters.
_CUT = re.compile(
    r"[,;，；—–（）~～]+|\((?!\d{3}\)\s?\d)|(?<!\(\d{3})\)"
    r"|(?<![电手号][话机码])(?<!联系我)(?<!邮箱)(?<!地址)(?<!住址)(?<!生日)(?<!坐标)(?<!爱好)(?<!电影)(?<!mail)(?<!address)(?<!phone)(?<!umber)(?<!irthday)(?<!hobbies)(?<!lergies)(?<!name)(?!(?<=\d)[:：]\d)[:：]+"  # 电话：138… is one statement, and 9:45 one time
    r"|(?<=\s)-+(?=\s)"
    r"|(?<=\s)(?<!husband )(?<!wife )(?<!partner )(?<!boyfriend )(?<!girlfriend )(?<!family )(?<!fiancé )(?:and|but|because|since|so|while|though|yet|although|plus|as|given(?: that)?|considering(?: that)?|'?cause|coz|cos|cuz|now that|seeing (?:as|that)|knowing(?: that)?)(?=\s+(?:I|I'm|my|we|our|he|she|his|her|everyone|everybody|people|friends|they|please|remember|remind|am|now (?:I|my|we|I'm|I've)|(?:(?:now|currently|also|just|recently|still|really|both|usually|never) )?(?:work|live|love|like|hate|loathe|detest|despise|dislike|avoid|enjoy|study|speak|eat|don't|can't|have|moved|went|teach|run|play|grew|own|adore|prefer|started|joined|suffer|named|call|called|we're|I'm|I've|I'd|living|working|based|studying|born|originally|from(?= [A-Z])|there's|decided))\b)"
    r"|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])|(?<=\d{5})\s+(?=[\u3400-\u9fff])"
    r"|(?<=[\u3400-\u9fff])(?=(?:而且|但是|不过|所以|因为|并且|同时|另外|还有)[\u3400-\u9fff])",
    re.IGNORECASE,
)
_BOUNDARIES = (
    re.compile(
        r"(?<=[.!?。！？\n])(?!(?<=\d\.)\d)(?<!\b[DMJS]r\.)(?<!\b[MS]t\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\b[ap]\.m\.)\s*"
    ),
    re.compile(r"(?<=[,;:，；：、])(?!(?<=\d[,:：])\d)\s*"),
    re.compile(r"\s+(?=(?:and|but|because|so|which|who|that|when|where|with|for|then)\b)"),
    re.compile(r"\s+"),
)


def words(table: str) -> list[str]:
    """A word table written as text."""
    return table.split()


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a text: `start` and `end` are its place in the whole text, in characters."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule read in a text, and where."""

    key: str
    value: str
    start: int
    end: int
    loose: bool = False  # told by its words alone, where no frame fits
    rule: str = ""  # the kind of rule, see confidence.py


def _stripped(text: str, start: int) -> Clause:
    left = len(text) - len(text.lstrip())
    return Clause(text.strip(), start + left)


def sentences(text: str) -> Iterator[Clause]:
    """Sentences with their end marks. A point inside a number, address or initial ends none."""
    for match in _SENTENCE.finditer(text):
        if match.group().strip():
            yield _stripped(match.group(), match.start())


def clauses(sentence: Clause) -> list[Clause]:
    """The clauses of a sentence without the marks between them and at its end. Lists with 、 stay whole."""
    body = sentence.text.rstrip(".!?。！？…\"'”’」)） ")
    out: list[Clause] = []
    begin = 0
    for match in _CUT.finditer(body):
        if match.start() > begin:
            out.append(_stripped(body[begin : match.start()], sentence.start + begin))
        begin = match.end()
    if begin < len(body):
        out.append(_stripped(body[begin:], sentence.start + begin))
    return [clause for clause in out if clause.text]


def slug(text: str, limit: int = 60) -> str:
    """A part of a key: words joined by hyphens, in the user's own script."""
    return "-".join(re.findall(r"\w+", text.lower()))[:limit].strip("-") or "x"


def split_statement(text: str, limit: int = 100) -> list[str]:
    """Pieces of at most `limit` characters, parted at sentence ends, else at commas, else between words;
    together they hold everything."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return [text] if text else []
    for boundary in _BOUNDARIES:
        pieces = [piece for piece in boundary.split(text) if piece]
        if len(pieces) > 1:
            return _packed(pieces, text, limit)
    return [text[i : i + limit] for i in range(0, len(text), limit)]


def _packed(pieces: list[str], text: str, limit: int) -> list[str]:
    """Neighbouring pieces joined as long as they fit; one that alone is too long is split further."""
    out: list[str] = []
    place = begin = 0
    end = 0
    for piece in pieces:
        place = text.index(piece, place)
        if place + len(piece) - begin > limit and end > begin:
            out += split_statement(text[begin:end].strip(), limit)
            begin = place
        place = end = place + len(piece)
    return out + split_statement(text[begin:end].strip(), limit)
