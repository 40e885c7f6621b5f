"""What a Chinese clause takes for granted about the user, even where it asks or requests: 我对花生过敏能吃这个吗."""
# ruff: noqa: E501 -- a pattern is one line

from __future__ import annotations

import re

from .clauses import Clause, Found
from .people_zh import mentioned, read_people
from .reading import Reading
from .rules_zh import read

__all__ = ["taken_for_granted"]

# What is told before the question in one clause: of the user, or of a relative.
_TOLD = re.compile(
    r"(?P<told>(?:对[^，]{1,8}过敏的我|我|本人|俺|在下|我们).{2,24}?|(?:怀孕|孕)[\d一二两三四五六七八九十半]+(?:个月|周)(?:多|了)?)(?:，)?(?=(?:那|还|现在|平时|到底|究竟|也|应|都)*(?:能不能|能|可不可以|可以|怎么|咋|该|应该|要怎么|适合|有什么|有啥|有没有|会不会|吃什么|吃啥|喝什么|买什么|用什么|选什么|去哪|得多久|多久|需要|要不要|算不算|如何))"
)
_NOT_TOLD = re.compile(
    r"什么|哪|多少|谁|几[个岁点号]|是不是|有没有|会不会|怎么|如果|要是|假如|想|觉得|听说|希望|打算|可能|以为|记得|知道|告诉|说过|问|不$|没$|以前|曾"
)


def taken_for_granted(clause: Clause, reading: Reading) -> list[Found]:
    match = _TOLD.match(clause.text)
    if match and not _NOT_TOLD.search(match["told"]):
        told = Clause(match["told"], clause.start)
        return [
            f
            for f in read(told, reading)
            if not f.key.startswith(("task::", "user::event", "user::decision"))
        ]
    out = mentioned(clause)
    if not out:
        read_people(clause, reading)  # 闺女叫啥来着，对，叫悠悠: who is gone on about
    return out
