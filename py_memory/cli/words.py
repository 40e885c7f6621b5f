"""What the command line says, in English and Chinese."""

from __future__ import annotations

import locale
import os

__all__ = ["WORDS", "language"]


def language() -> str:
    """ "zh" where the terminal's locale is Chinese, else "en"."""
    names = [os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    named = next((name for name in names if name), "") or (locale.getlocale()[0] or "")
    return "zh" if named.lower().startswith(("zh", "chinese")) else "en"


WORDS: dict[str, dict[str, str]] = {
    "en": {
        "about": "Looks into a memory file, searches it, checks it, and copies it.",
        "inspect": "what the file is and how much it holds",
        "messages": "messages, the newest last",
        "facts": "facts with where they come from",
        "search": "messages that hold a text exactly",
        "ranked": "instead, everything that bears on the text as a question, best first",
        "which_facts": "current, candidate, disputed, superseded, expired, archived or all",
        "stats": "rows by table",
        "sql": "one statement that only reads",
        "doctor": "what is wrong, and with --fix what can be done",
        "export": "write one plain file without sync state",
        "import": "add the rows of another memory file",
        "forget": "delete for good a fact, a message, a session or all that holds a text",
        "chat": "talk with the offline assistant",
        "no_file": "There is no file {path}. Check its name; only “import” and “chat” make a new one.",
        "none": "Nothing found.",
        "healthy": "Nothing is wrong.",
        "fixed": "{kind}: {count} put right.",
        "exported": "Written to {path}.",
        "imported": "Added: {imported}. Known: {skipped}. Conflicts: {conflicts}. Refused: {refused}.",
        "exists": "{path} exists already. Choose another name; it was not changed.",
        "will_go": "This will be deleted for good: {counts}. Add --yes to do it.",
        "gone": "Deleted: {counts}. Copies exported before and other devices are not reached.",
        "goodbye": "Goodbye. Everything you said is in the file.",
        "damaged": "the file is damaged: use an earlier copy",
        "chain_broken": "the trace of changes was altered from outside",
        "index_unsound": "the search index does not agree with the messages",
        "orphans": "rows that belong to nothing",
        "duplicates": "facts that say the same twice",
        "unsupported": "facts whose source reads otherwise now, or is gone",
        "contradictions": "facts that exclude each other",
        "stale": "facts past their end",
        "resting": "facts long unused, of little weight",
        "conflicts": "facts that contradict each other: confirm or reject one",
        "waiting": "facts that wait for your answer",
        "embedder": "the embedder could not be used; memories are found by their words alone",
    },
    "zh": {
        "about": "查看、搜索、检查和复制记忆文件。",
        "inspect": "这是什么文件，里面有多少内容",
        "messages": "消息，最新的在最后",
        "facts": "事实及其来源",
        "search": "查找含有这段文字的消息",
        "ranked": "把这段文字当作问题，按相关程度查找所有记忆",
        "which_facts": "current（当前）、candidate（待确认）、disputed（有争议）、superseded（已被取代）、"
        "expired（已过期）、archived（已归档）或 all（全部）",
        "stats": "各表的行数",
        "sql": "执行一条只读语句",
        "doctor": "检查有什么问题；加 --fix 进行修复",
        "export": "写出一个不含同步状态的文件",
        "import": "把另一个记忆文件的内容加进来",
        "forget": "彻底删除一条事实、一条消息、一个会话，或含有某段文字的一切",
        "chat": "与离线助手对话",
        "no_file": "没有文件 {path}。请检查文件名；只有“import”和“chat”会新建文件。",
        "none": "没有找到。",
        "healthy": "没有问题。",
        "fixed": "{kind}：已处理 {count} 条。",
        "exported": "已写入 {path}。",
        "imported": "新增：{imported}。已有：{skipped}。冲突：{conflicts}。拒绝：{refused}。",
        "exists": "{path} 已经存在，请换一个名字；它没有被改动。",
        "will_go": "以下内容将被彻底删除：{counts}。加上 --yes 执行。",
        "gone": "已删除：{counts}。之前导出的文件和其他设备不受影响。",
        "goodbye": "再见。你说过的都在文件里。",
        "damaged": "文件已损坏：请使用较早的副本",
        "chain_broken": "变更记录被外部改动过",
        "index_unsound": "搜索索引与消息不一致",
        "orphans": "没有归属的行",
        "duplicates": "重复的事实",
        "unsupported": "来源已改变或消失的事实",
        "contradictions": "互相排斥的事实",
        "stale": "已过期的事实",
        "resting": "长期未用、分量很轻的事实",
        "conflicts": "互相矛盾的事实：请确认或否认其中之一",
        "waiting": "等待你确认的事实",
        "embedder": "向量模型无法使用；目前只按词语查找记忆",
    },
}
