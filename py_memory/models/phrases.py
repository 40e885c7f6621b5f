"""What the offline assistant says, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["PHRASES", "key_in_words", "on_day"]

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "stored": "I'll remember: {what}.",
        "todo_stored": "It is on your list: {what}.",
        "proposed": "I noticed something worth remembering: {what}. Shall I keep it? Nothing is kept until you say so.",
        "about_me": "This is what I know about you:",
        "about_nothing": "I don't know anything about you yet. Tell me something, or say “remember that …”.",
        "fact": "- {key}: {value} (since {day}{quote})",
        "quote": ", from “{quote}”",
        "found": "Here is what I found:",
        "found_message": "- {day}, you wrote: “{text}”",
        "found_reply": "- {day}, I wrote: “{text}”",
        "found_nothing": "I found nothing about that in what you have told me.",
        "todo_open": "Left to do:",
        "todo_item": "- {what} (since {day})",
        "todo_none": "Nothing is left to do.",
        "todo_done": "Done: {what}. I have taken it off your list.",
        "todo_unknown": "I found no open to-do that fits “{what}”.",
        "todo_which": "Which one is done?",
        "forgotten": "Forgotten: {what}. You can undo this for 10 seconds. Messages in which you said it are still in the "
        "conversation; delete those there.",
        "forget_which": "More than one thing fits. Which one shall I forget? You can also forget each in the memory list.",
        "forget_nothing": "I know nothing that fits “{what}”, so there is nothing to forget.",
        "no_model": "I can't do that without a language model, and none is connected.",
        "no_model_keep_in_mind": "I can't do that without a language model, and none is connected. But keep in mind:",
        "no_model_mind": "I have kept what you wrote. Without a language model I can remember things, find them again and keep your to-dos.",
        "related": "You told me earlier:",
        "greeting": "Hello{name}. Tell me something to remember, or ask me about what you told me.",
        "thanks": "You're welcome.",
        "help": "I am a memory that works offline, without a language model. Say “remember that …”, “forget …”, “what do you "
        "know about me”, ask who, when, where or what you said about something, or “remind me to …”. Everything stays in this browser.",
        "off_the_record": "All right, I will not remember that as a fact. The message itself stays in this conversation until you delete it.",
    },
    "zh": {
        "stored": "我记住了：{what}。",
        "todo_stored": "已记到待办：{what}。",
        "proposed": "我注意到值得记住的内容：{what}。要保存吗？你确认之前不会保存。",
        "about_me": "我知道这些关于你的事：",
        "about_nothing": "我还不了解你。跟我说点什么，或者说“记住……”。",
        "fact": "- {key}：{value}（{day} 起{quote}）",
        "quote": "，出自“{quote}”",
        "found": "我找到了这些：",
        "found_message": "- {day}，你写过：“{text}”",
        "found_reply": "- {day}，我写过：“{text}”",
        "found_nothing": "在你告诉过我的内容里，没有找到相关的。",
        "todo_open": "还没做的事：",
        "todo_item": "- {what}（{day} 起）",
        "todo_none": "没有待办了。",
        "todo_done": "完成：{what}。已从待办中去掉。",
        "todo_unknown": "没有找到和“{what}”相符的待办。",
        "todo_which": "是哪一件做完了？",
        "forgotten": "已忘掉：{what}。10 秒内可以撤销。你说过它的那条消息还在对话里，可以在那里删除。",
        "forget_which": "不止一条相符。要忘掉哪一条？也可以在记忆列表里逐条忘掉。",
        "forget_nothing": "我不知道和“{what}”相符的事，所以没有什么可忘的。",
        "no_model": "没有连接语言模型，这件事我做不了。",
        "no_model_keep_in_mind": "没有连接语言模型，这件事我做不了。不过请留意：",
        "no_model_mind": "你写的我已经保存。没有语言模型时，我可以记事、找回说过的话、管理待办。",
        "related": "你之前告诉过我：",
        "greeting": "你好{name}。告诉我要记住的事，或者问我你说过的话。",
        "thanks": "不客气。",
        "help": "我是一个离线工作的记忆助手，没有语言模型。你可以说“记住……”“忘掉……”“你知道我什么”，问某件事是谁、什么时候、"
        "在哪里、说过什么，或者“提醒我……”。所有内容都只在这个浏览器里。",
        "off_the_record": "好，这些不会作为事实记住。消息本身会留在对话里，直到你删除它。",
    },
}

_KEYS = {
    "user::name": ("name", "名字"),
    "user::age": ("age", "年龄"),
    "user::diet": ("diet", "饮食"),
    "user::allergy": ("allergy", "过敏"),
    "user::likes": ("likes", "喜欢"),
    "user::dislikes": ("dislikes", "不喜欢"),
    "user::home": ("home", "住处"),
    "user::address": ("address", "地址"),
    "user::hometown": ("from", "老家"),
    "user::work": ("works at", "工作单位"),
    "user::job": ("job", "职业"),
    "user::birthday": ("birthday", "生日"),
    "user::language": ("language", "语言"),
    "user::note": ("note", "备忘"),
    "user::decision": ("decision", "决定"),
    "user::event": ("event", "日程"),
    "user::contact::email": ("email", "邮箱"),
    "user::contact::phone": ("phone", "电话"),
}
_RELATIONS = {
    "daughter": "女儿",
    "son": "儿子",
    "wife": "妻子",
    "husband": "丈夫",
    "partner": "伴侣",
    "girlfriend": "女朋友",
    "boyfriend": "男朋友",
    "mother": "母亲",
    "father": "父亲",
    "sister": "姐妹",
    "brother": "兄弟",
    "grandmother": "祖母",
    "grandfather": "祖父",
    "dog": "狗",
    "cat": "猫",
}


def key_in_words(key: str, language: str) -> str:
    """A fact's key as people say it."""
    chinese = language == "zh"
    if key in _KEYS:
        return _KEYS[key][chinese]
    parts = key.split("::")
    if parts[:2] == ["user", "family"] and len(parts) > 2:
        relation = _RELATIONS.get(parts[2], parts[2]) if chinese else parts[2]
        if parts[3:] == ["age"]:
            return f"{relation}的年龄" if chinese else f"{relation}'s age"
        return relation
    return " ".join(parts[1:] or parts)


def on_day(time: int, language: str) -> str:
    """The UTC day of a time in ms."""
    try:
        day = datetime.fromtimestamp(time / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return "?"
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {day:%B} {day.year}"
