"""What the offline assistant says, in both languages."""
# ruff: noqa: E501 -- a phrase is one line

from __future__ import annotations

from datetime import date

__all__ = ["PARTS", "PHRASES", "counted", "key_in_words", "on_day"]

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "stored": "I'll remember: {what}.",
        "known": "I have that already: {what}.",
        "todo_stored": "It is on your list: {what}. I cannot ring a bell, but ask me “what is left to do?” at any time.",
        "todo_known": "It is on your list already: {what}.",
        "nothing_to_store": "Tell me the whole thing, for example “remember that my locker is 42”, and I will keep it.",
        "proposed": "I noticed {things}, shown with your message. What you say “yes” to is kept.",
        "proposed_one": "I noticed {things} worth keeping, shown with your message. It is kept if you say “yes”.",
        "confirmed": "Kept: {what}.",
        "rejected": "All right, I have not kept it and will not ask again: {what}.",
        "agreed": "All right.",
        "nothing_asked": "I had asked nothing, so there is nothing to say yes to. Tell me something to remember, or ask me what you told me.",
        "food_you_said": "That is for you to judge. This is what you told me:",
        "nothing_waits": "Nothing was waiting for a yes, so nothing is deleted. Say what to forget.",
        "about_me": "This is what I know about you:",
        "about_nothing": "I don't know anything about you yet. Tell me something, or say “remember that …”.",
        "about_waiting": "Not confirmed by you yet:",
        "fact": "- {key}: {value} ({day}{quote})",
        "fact_dated": "- {key}: {value} (that is {due}; {day}{quote})",
        "quote": ", you said “{quote}”",
        "found": "Here is what I found:",
        "found_message": "- {day}, you wrote: “{text}”",
        "found_nothing": "I found nothing about that in what you have told me.",
        "confirm_which": "Say on their cards which to keep, or “yes” to keep all of these.",
        "confirm_how": "Say “yes” to keep it, or “no” to drop it.",
        "todo_open": "Left to do:",
        "todo_item": "- {what} (since {day})",
        "todo_due": "- {what} (for {due}, since {day})",
        "schedule": "Coming up:",
        "schedule_none": "Nothing is coming up, as far as you have told me.",
        "todo_none": "Nothing is left to do.",
        "todo_open_on": "For {day}:",
        "todo_none_on": "Nothing is on for {day}.",
        "todo_others": "{todos} still open for other days or without a day; ask “what is left to do?”.",
        "todo_done": "Done: {what}. I have taken it off your list.",
        "todo_unknown": "I found no open to-do that fits “{what}”.",
        "todo_which": "Which one is done?",
        "forgotten": "Forgotten: what I knew under “{key}”. You can undo this for 10 seconds: say “undo”.",
        "forgotten_messages": "These words still stand in {messages}. To delete those too, whole, say “yes”.",
        "forgotten_kept": "They also stand in {messages} that I leave as they are, because they tell other things that I keep. To see and delete those as well, say “forget everything about …”.",
        "forget_which": "More than one thing fits. Which one shall I forget?",
        "forget_nothing": "I know nothing that fits “{what}”, so there is nothing to forget.",
        "forget_see": "These will be deleted for good: {what}, this request and my answer among them.",
        "forget_sure": "Say “yes” to delete all of this, or “no” to keep it.",
        "more_facts": "- … and {count} more that I know",
        "more_messages": "- … and {count} more of our messages",
        "forget_topicless": "I don't delete everything from here, so that it never happens by mistake. In the memory panel of this page you can delete conversations and what I know; or name a topic, for example “forget everything about my locker”.",
        "forgotten_all": "Deleted: {what}. You can undo this for 10 seconds: say “undo”. Files you have exported and other devices are not reached.",
        "kept_all": "All right, nothing is deleted.",
        "undone": "Undone: what I had deleted is back.",
        "undo_late": "It is too late to undo that: it was undone already, or the 10 seconds are over.",
        "undo_nothing": "There is nothing I could undo: only what I deleted in this conversation in the last 10 seconds can come back.",
        "ended_ask": "So this no longer holds? I still have: {what}. Say “yes” and it becomes a thing of the past, or say “{command}” to delete it.",
        "ended_which": "That may end one of these. Say which to forget, for example “{command}”:",
        "ended": "Noted: {what}: that is over. I no longer count on it, and it can still be read in the history.",
        "ended_kept": "All right, it stays as it was: {what}.",
        "forget_command": "forget my {key}",
        "forget_value": "forget {value}",
        "no_model": "I can't do that: it needs a language model, and none is connected.",
        "no_model_to": "I can't {what}: that needs a language model, and none is connected.",
        "bearing": "But you told me this, which bears on it ({days}):",
        "bearing_item": "- {what}",
        "that_day": "For {day} you have already:",
        "settle": "Worth settling first: {what}.",
        "between": "{first} to {last}",
        "no_model_mind": "It stays in our conversation, and I can find it again. Say “remember that …” for what I should hold on to.",
        "related": "You also told me:",
        "greeting": "Hello{name}. Tell me something to remember, or ask me about what you told me.",
        "small_talk": "I'm here, working offline. Tell me something to remember, or ask me about what you told me.",
        "farewell": "See you. What you told me stays here.",
        "thanks": "You're welcome.",
        "help": "I am a memory that works offline, without a language model. Say “remember that …”, “forget …”, “what do you "
        "know about me”, ask who, when, where or what you said about something, or “remind me to …”. Everything stays in "
        "this browser.",
        "why_head": "That answer rested on this:",
        "why_wrote": "- {day}, I wrote: “{text}”",
        "why_other": "- {day}: {text}",
        "why_corrected": "Since then it was corrected or is over:",
        "why_gone": "Forgotten since, so that I cannot show it: {things}.",
        "why_nothing": "That answer rested on nothing that I remember, only on what you had just written.",
        "why_no_answer": "I have not answered anything yet in this conversation.",
        "private": "All right, I take no note of it. The message itself stays in this conversation until you delete it.",
        "secret": "That looks like a password, key or card number, so I have not kept it as a note. The message itself stays "
        "in this conversation until you delete it.",
        # In an incognito chat these stand in for those of the same name.
        "incognito": "This is an incognito chat: nothing of it is kept, so I cannot remember that. Tell me again in an ordinary chat, and I will.",
        "unchanged": "This is an incognito chat: from here nothing is changed or forgotten. Do it in an ordinary chat.",
        "incognito_agreed": "All right. Nothing of this chat is kept.",
        "incognito_no_model_mind": "I hear you. It stays here until you close this chat, and nothing of it is kept.",
        "incognito_nothing_to_store": "This is an incognito chat: nothing of it is kept.",
        "incognito_about_nothing": "I don't know anything about you yet, and what you say in this incognito chat is not kept.",
        "incognito_greeting": "Hello{name}. This chat is incognito: nothing said here is kept, but you can ask me what I know.",
        "incognito_small_talk": "I'm here, working offline. Nothing said in this incognito chat is kept.",
        "incognito_farewell": "See you. Close this chat, and nothing of it is left.",
        "incognito_private": "All right. Nothing of this incognito chat is kept anyway.",
        "incognito_secret": "That looks like a password, key or card number. Nothing of this incognito chat is kept.",
        "incognito_forget_topicless": "This is an incognito chat: from here nothing is changed or forgotten. Do it in an ordinary chat.",
    },
    "zh": {
        "stored": "我记住了：{what}。",
        "known": "这个我已经记得：{what}。",
        "todo_stored": "已记到待办：{what}。我不能按时响铃，但你可以随时问“还有什么要做”。",
        "todo_known": "待办里已经有了：{what}。",
        "nothing_to_store": "请把要记的内容说完整，比如“记住我的储物柜是42号”，我就会记下来。",
        "proposed": "我注意到{things}，列在你的消息下面。你说“好”，才会保留。",
        "proposed_one": "我注意到{things}，列在你的消息下面。你说“好”，才会保留。",
        "confirmed": "已保存：{what}。",
        "rejected": "好，没有保存，以后也不会再问：{what}。",
        "agreed": "好的。",
        "nothing_asked": "我刚才没有问什么，所以没有需要确认的。可以告诉我要记住的事，或者问我你说过的话。",
        "food_you_said": "这要由你来判断。你告诉过我：",
        "nothing_waits": "没有等待确认的删除，所以什么都没有删除。请说出要忘掉什么。",
        "about_me": "我知道这些关于你的事：",
        "about_nothing": "我还不了解你。跟我说点什么，或者说“记住……”。",
        "about_waiting": "还没有得到你确认的：",
        "fact": "- {key}：{value}（{day}{quote}）",
        "fact_dated": "- {key}：{value}（即 {due}；{day}{quote}）",
        "quote": "，你说过“{quote}”",
        "found": "我找到了这些：",
        "found_message": "- {day}，你写过：“{text}”",
        "found_nothing": "在你告诉过我的内容里，没有找到相关的。",
        "confirm_which": "在卡片上选择要保留哪些，或说“是的”全部保存。",
        "confirm_how": "说“是的”就保存，说“不”就放弃。",
        "todo_open": "还没做的事：",
        "todo_item": "- {what}（{day} 起）",
        "todo_due": "- {what}（{due} 要做，{day} 起）",
        "schedule": "接下来：",
        "schedule_none": "就你告诉过我的，接下来没有安排。",
        "todo_none": "没有待办了。",
        "todo_open_on": "{day} 的安排：",
        "todo_none_on": "{day} 没有安排。",
        "todo_others": "另外还有 {todos}没做，不在这一天；可以问“还有什么要做”。",
        "todo_done": "完成：{what}。已从待办中去掉。",
        "todo_unknown": "没有找到和“{what}”相符的待办。",
        "todo_which": "是哪一件做完了？",
        "forgotten": "已忘掉“{key}”。10 秒内说“撤销”就能恢复。",
        "forgotten_messages": "这些话还留在 {messages}里。要把这些消息整条一并删除，请说“是的”。",
        "forgotten_kept": "另有 {messages}也含有这些话，但其中还有我保留的其他内容，所以没有动。要查看并删除，请说“忘掉关于……的一切”。",
        "forget_which": "不止一条相符。要忘掉哪一条？",
        "forget_nothing": "我不知道和“{what}”相符的事，所以没有什么可忘的。",
        "forget_see": "以下内容将被彻底删除：{what}（包括你的这条请求和我的这条回答）。",
        "forget_sure": "要全部删除，请说“是的”；要保留，请说“不”。",
        "more_facts": "- ……另有 {count} 条记忆",
        "more_messages": "- ……另有 {count} 条消息",
        "forget_topicless": "为了避免误删，我不会在对话里删除全部内容。你可以在页面的记忆面板里删除，或者说出一个主题，例如“忘掉关于储物柜的一切”。",
        "forgotten_all": "已删除 {what}。10 秒内说“撤销”就能恢复。已导出的文件和其他设备不受影响。",
        "kept_all": "好的，什么都没有删除。",
        "undone": "已撤销，刚才删除的内容都回来了。",
        "undo_late": "来不及撤销了：已经撤销过，或者 10 秒已过。",
        "undo_nothing": "没有可以撤销的：只有这个对话里 10 秒内删除的内容才能恢复。",
        "ended_ask": "这一条不再成立了吗？我还记着：{what}。说“是的”就把它归为过去的事，或者说“{command}”删除它。",
        "ended_which": "这可能和下面几条有关。请说要忘掉哪一条，例如“{command}”：",
        "ended": "明白，这已经过去了：{what}。以后不再当作现状，历史里还能看到。",
        "ended_kept": "好的，保持不变：{what}。",
        "forget_command": "忘掉我的{key}",
        "forget_value": "忘掉{value}",
        "no_model": "这件事需要语言模型，而现在没有连接，我做不了。",
        "no_model_to": "“{what}”需要语言模型，而现在没有连接，我做不了。",
        "bearing": "不过你告诉过我的这些和它有关（{days}）：",
        "bearing_item": "- {what}",
        "that_day": "{day}你已经有：",
        "settle": "可以先想好：{what}。",
        "between": "{first}至{last}",
        "no_model_mind": "这些会留在对话里，以后可以找到。要我记住的事，请说“记住……”。",
        "related": "你还告诉过我：",
        "greeting": "你好{name}。告诉我要记住的事，或者问我你说过的话。",
        "small_talk": "我在，离线工作中。告诉我要记住的事，或者问我你说过的话。",
        "farewell": "再见。你告诉我的都还在这里。",
        "thanks": "不客气。",
        "help": "我是一个离线工作的记忆助手，没有语言模型。你可以说“记住……”“忘掉……”“你知道我什么”，问某件事是谁、什么时候、"
        "在哪里、说过什么，或者“提醒我……”。所有内容都只在这个浏览器里。",
        "why_head": "那个回答的依据是：",
        "why_wrote": "- {day}，我写过：“{text}”",
        "why_other": "- {day}：{text}",
        "why_corrected": "后来已经更正或已经过去的：",
        "why_gone": "后来已被忘掉，无法再显示：{things}。",
        "why_nothing": "那个回答没有用到任何记忆，只依据你刚写的内容。",
        "why_no_answer": "在这个对话里我还没有回答过什么。",
        "private": "好，我不记这些。消息本身会留在对话里，直到你删除它。",
        "secret": "这像是密码、密钥或卡号，我没有把它记下来。消息本身会留在对话里，直到你删除它。",
        "incognito": "这是无痕对话，什么都不会保存，所以我记不住这件事。请在普通对话里再告诉我一次。",
        "unchanged": "这是无痕对话，不会改动或忘掉任何记忆。请在普通对话里操作。",
        "incognito_agreed": "好的。这个对话的内容都不会保存。",
        "incognito_no_model_mind": "听到了。关闭这个对话之前它都在这里，但不会保存。",
        "incognito_nothing_to_store": "这是无痕对话，什么都不会保存。",
        "incognito_about_nothing": "我还不了解你，而你在这个无痕对话里说的也不会保存。",
        "incognito_greeting": "你好{name}。这是无痕对话，说的话不会保存；你可以问我已经知道的事。",
        "incognito_small_talk": "我在，离线工作中。这个无痕对话的内容不会保存。",
        "incognito_farewell": "再见。关闭这个对话，就什么都不留下。",
        "incognito_private": "好。这个无痕对话的内容本来就不会保存。",
        "incognito_secret": "这像是密码、密钥或卡号。这个无痕对话的内容都不会保存。",
        "incognito_forget_topicless": "这是无痕对话，不会改动或忘掉任何记忆。请在普通对话里操作。",
    },
}

# The parts of a key after `user::`, in words.
PARTS = {
    "name": ("name", "名字"),
    "age": ("age", "年龄"),
    "diet": ("diet", "饮食"),
    "allergy": ("allergy", "过敏"),
    "condition": ("condition", "身体状况"),
    "likes": ("likes", "喜欢"),
    "dislikes": ("dislikes", "不喜欢"),
    "favorite": ("favourite", "最喜欢的"),
    "home": ("home", "住处"),
    "address": ("address", "地址"),
    "hometown": ("from", "老家"),
    "work": ("works at", "工作单位"),
    "job": ("job", "职业"),
    "studies": ("studies", "专业"),
    "birthday": ("birthday", "生日"),
    "language": ("language", "语言"),
    "speaks": ("speaks", "会说"),
    "note": ("note", "备忘"),
    "decision": ("decision", "决定"),
    "event": ("appointment", "日程"),
    "email": ("email", "邮箱"),
    "phone": ("phone", "电话"),
    "daughter": ("daughter", "女儿"),
    "son": ("son", "儿子"),
    "wife": ("wife", "妻子"),
    "husband": ("husband", "丈夫"),
    "spouse": ("spouse", "爱人"),
    "partner": ("partner", "伴侣"),
    "girlfriend": ("girlfriend", "女朋友"),
    "boyfriend": ("boyfriend", "男朋友"),
    "mother": ("mother", "妈妈"),
    "father": ("father", "爸爸"),
    "sister": ("sister", "姐妹"),
    "brother": ("brother", "兄弟"),
    "older-sister": ("older sister", "姐姐"),
    "younger-sister": ("younger sister", "妹妹"),
    "older-brother": ("older brother", "哥哥"),
    "younger-brother": ("younger brother", "弟弟"),
    "grandmother": ("grandmother", "奶奶"),
    "grandfather": ("grandfather", "爷爷"),
    "maternal-grandmother": ("grandmother", "外婆"),
    "maternal-grandfather": ("grandfather", "外公"),
    "friend": ("friend", "朋友"),
    "boss": ("boss", "老板"),
    "manager": ("manager", "经理"),
    "colleague": ("colleague", "同事"),
    "roommate": ("roommate", "室友"),
    "dog": ("dog", "狗"),
    "cat": ("cat", "猫"),
}

# What is counted: in English one and several, in Chinese the measure word and noun.
_COUNTED = {
    "facts": ("thing I know", "things I know", "条记忆"),
    "messages": ("of our messages", "of our messages", "条消息"),
    "todos": ("to-do is", "to-dos are", "件事"),
    "things": ("thing", "things", "件事"),
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS_ZH = "零一两三四五六七八九十"


def counted(number: int, what: str, language: str, *, spelled: bool = False) -> str:
    """A number with its noun: “1 to-do is”, “2 条消息”; small numbers `spelled` out if wanted."""
    one, several, chinese = _COUNTED[what]
    spelled = spelled and number <= 10
    if language == "zh":
        return f"{_NUMBERS_ZH[number]}{chinese}" if spelled else f"{number} {chinese}"
    return f"{_NUMBERS[number] if spelled else number} {one if number == 1 else several}"


def key_in_words(key: str, language: str) -> str:
    """A fact's key as people say it: user::family::daughter::age is “daughter's age”."""
    chinese = language == "zh"
    parts = key.split("::")
    if parts[0] == "task":
        return "待办" if chinese else "to-do"
    if parts[0] == "user" and len(parts) > 1:
        parts = parts[1:]
    if parts[0] in ("family", "pet", "relation", "contact") and len(parts) > 1:
        parts = parts[1:]
    if parts[0] == "diet":
        parts = parts[:1]  # what follows only tells its values apart
    words = [PARTS[part][chinese] if part in PARTS else part.replace("-", " ") for part in parts]
    if chinese:
        return words[0] + "".join(word if words[0].endswith("的") else f"的{word}" for word in words[1:])
    return (" " if words[0] == "favourite" else "'s ").join(words)


def on_day(iso: str | None, language: str) -> str:
    """A day (an ISO date) as people write it; "?" for one that no calendar has."""
    if iso is None:
        return "?"
    day = date.fromisoformat(iso)
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
