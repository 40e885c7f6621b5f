"""What the command line says, in English and Chinese."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from datetime import datetime

__all__ = ["OUTCOMES", "WORDS", "counted", "language", "on"]


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
        "export": "write the memory, or one session, to a file",
        "import": "add another memory's file, or the conversations of another product's export",
        "forget": "delete for good a fact, a message, a session or all that holds a text",
        "chat": "talk with the offline assistant, or with a language model",
        "consolidate": "tidy up, and with --model let a language model read what was said since",
        "tidied": "Tidied up: {counts}.",
        "tidied_expired": "expired",
        "tidied_merged": "merged",
        "tidied_archived": "put to rest",
        "tidied_reviewed": "to be reviewed",
        "tidied_disputed": "in doubt",
        "tidied_weighed": "weighed anew",
        "was_read": "Read: {readings} parts. Facts that wait for your yes: {proposed}. "
        "Summaries written: {summaries}. Facts in doubt: {disputed}.",
        "model": "address of an OpenAI-compatible server, such as http://localhost:11434/v1",
        "model_name": "one of the server's models; without it the first one answers",
        "key_env": "the environment variable that holds the server's key",
        "no_key": "The environment variable {name} is not set. Set it to the key, or leave --key-env out.",
        "which_model": "--name and --key-env belong to --model. Add its address.",
        "answers": "{model} answers. Ctrl-C stops an answer, Ctrl-D ends the chat.",
        "noticed": "Noticed, not kept yet: {facts}. Type /keep or /drop.",
        "kept": "Kept: {facts}.",
        "dropped": "Dropped: {facts}.",
        "nothing_noticed": "Nothing waits for you.",
        "again": "{reason} Asking again in {seconds} s.",
        "sync": "send what is new to a sync server and take in what is new there",
        "token": "the device's token; better in PY_MEMORY_TOKEN, which no list of processes shows",
        "sync_dry_run": "only say what would be sent, and what waits",
        "synced": "Sent: {pushed}. Received: {pulled}. Waiting: {waiting}.",
        "to_review": "To be looked at: {conflicts} conflicts, {disputed} disputed, {rejected} refused.",
        "clock_off": "This device's clock is {minutes} minutes off; changes follow the server's time.",
        "serve": "serve the sync endpoint, and with --site a built page too. Nothing more has to be "
        "installed; the extra “server” (pip install 'py_memory[server]') is for many devices",
        "server": "the users of a sync server and the tokens of their devices",
        "users": "add or list users",
        "tokens": "add, list or revoke the tokens of a user's devices",
        "site": "folder of a built page, such as dist/site",
        "origin": "another site whose pages may sync here, such as https://example.org",
        "database": "address of the store, sqlite:///PATH or postgresql://ROLE@HOST/NAME "
        "(PY_MEMORY_DATABASE_URL, else in --data)",
        "metrics": "answer /metrics, for Prometheus, to anyone who asks",
        "log": "one line of JSON for each request on standard error (default), or none",
        "migrate": "make or update the tables of a PostgreSQL store and let the role of its address serve",
        "owner": "address under which the role that owns the database is reached",
        "move": "copy a whole store into an empty one, such as SQLite to PostgreSQL",
        "move_to": "address of the new store",
        "data": "folder of the store (default: data)",
        "label": "what the device is called",
        "days": "how long the token lives (default: until it is revoked)",
        "no_file": "There is no file {path}. Check its name; only “import” and “chat” make a new one.",
        "none": "Nothing found.",
        "healthy": "Nothing is wrong.",
        "fixed": "{kind}: {count} put right.",
        "exported": "Written to {path}.",
        "imported": "Added: {imported}. Known: {skipped}. Conflicts: {conflicts}. Refused: {refused}.",
        "target": "the new file; without it text goes to standard output",
        "which_format": "db (a database), jsonl (the same rows as text) or markdown (to read)",
        "one_session": "only this session, with what was learned in it",
        "which_source": "a memory's file, an export of ChatGPT, Claude, Open WebUI, LibreChat, Chatbot UI "
        "or Gemini, or a list of memories",
        "dry_run": "say what is in it and change nothing",
        "only": "only the conversation with this id, as --dry-run lists them; may be repeated",
        "no_memories": "leave out what the product had saved about you",
        "needs_target": "A database needs a file to be written to. Name one.",
        "would_add": "{format}: {conversations} conversations with {messages} messages, {memories} saved "
        "memories. Nothing was changed.",
        "would_add_dated": "{format}: {conversations} conversations with {messages} messages, "
        "{memories} saved memories, {first} to {last}. Nothing was changed.",
        "left_out": "Left out: {reasons}.",
        "added_chats": "Conversations: {conversations}. Messages: {messages}. To confirm: {suggestions}.",
        "stopped": "Stopped. Conversations that were added are whole; import the file again for the rest.",
        "more": "… and {count} more",
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
        "conflicts": "facts that contradict each other and wait for your answer",
        "waiting": "facts that wait for your answer",
        "embedder": "the embedder could not be used; memories are found by their words alone",
        "interrupted": "Stopped by Ctrl-C. Nothing was left half-done.",
        "system_refuses": "The system refuses: {what}.",
        "no_text": "Something given, or something read, is no text in UTF-8. Check it and try again.",
        "confirm": "say yes to the fact with this id, or with the only id that begins so",
        "reject": "say no to it: it is deleted and not proposed again",
        "how_to_answer": "To answer: “py-memory facts {file} --status candidate” (or disputed) lists "
        "them with their ids; then add --confirm ID or --reject ID instead.",
        "ambiguous": "{count} facts have an id that begins with {id}. Give more of it.",
        "no_token": "No token was given. Put the device's token, as “py-memory server tokens add NAME” "
        "printed it, into {variable}, or give --token.",
        "no_address": "A sync server's address is like https://example.org; there can be no host {url}.",
        "no_port": "a port is a number from 0 to 65535 (0 takes a free one)",
        "one_line": "{what} is one line of at most 200 characters of text.",
        "device_name": "The name of a device",
        "key_id": "The key id of a token",
        "no_user": "This server has no user {name}. “py-memory server users list” names those it has, "
        "“users add” adds one.",
        "no_valid_token": "This server has no valid token with key id {key}. “py-memory server tokens "
        "list NAME” shows them.",
        "no_site": "{path} is not a built site: it has no policy.json. Name the folder that “python3 "
        "build.py build” fills.",
        "plain_server": "The standard library serves. For many devices, pip install 'py_memory[server]' "
        "first.",
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
        "export": "把记忆或一个会话写成文件",
        "import": "导入另一个记忆文件，或其他产品导出的会话",
        "forget": "彻底删除一条事实、一条消息、一个会话，或含有某段文字的一切",
        "chat": "与离线助手或语言模型对话",
        "consolidate": "整理记忆；加 --model 则由语言模型读取之后说过的话",
        "tidied": "已整理：{counts}。",
        "tidied_expired": "已过期",
        "tidied_merged": "已合并",
        "tidied_archived": "已归档",
        "tidied_reviewed": "待复核",
        "tidied_disputed": "存疑",
        "tidied_weighed": "已重新评估",
        "was_read": "已读 {readings} 部分。等待你确认的事实：{proposed}。写好的摘要：{summaries}。"
        "存疑的事实：{disputed}。",
        "model": "OpenAI 兼容服务器的地址，例如 http://localhost:11434/v1",
        "model_name": "服务器上的模型名；不填则使用第一个",
        "key_env": "存放服务器密钥的环境变量",
        "no_key": "环境变量 {name} 没有设置。请把它设为服务器的密钥，或去掉 --key-env。",
        "which_model": "--name 和 --key-env 要与 --model 一起使用。请加上地址。",
        "answers": "由 {model} 回答。Ctrl-C 停止回答，Ctrl-D 结束对话。",
        "noticed": "注意到，还没有保存：{facts}。输入 /keep 保存，或 /drop 放弃。",
        "kept": "已保存：{facts}。",
        "dropped": "已放弃：{facts}。",
        "nothing_noticed": "没有等待确认的内容。",
        "again": "{reason} {seconds} 秒后再试。",
        "sync": "把新内容发到同步服务器，并取回那里的新内容",
        "token": "本设备的令牌；最好放在 PY_MEMORY_TOKEN 里，进程列表中就看不到",
        "sync_dry_run": "只说明会发送什么、还有什么在等待",
        "synced": "已发送 {pushed}，已接收 {pulled}，等待中 {waiting}。",
        "to_review": "需要查看：{conflicts} 处冲突，{disputed} 条有争议的事实，{rejected} 条被拒绝。",
        "clock_off": "本设备的时钟与服务器相差 {minutes} 分钟；更改按服务器的时间排序。",
        "serve": "提供同步服务；加 --site 也提供网页。无需另外安装；设备多时可装附加组件 "
        "server（pip install 'py_memory[server]'）",
        "server": "同步服务器的用户及其设备的令牌",
        "users": "添加或列出用户",
        "tokens": "添加、列出或撤销用户设备的令牌",
        "site": "已构建网页的文件夹，例如 dist/site",
        "origin": "可以在此同步的其他网站，例如 https://example.org",
        "database": "存储的地址 sqlite:///路径 或 postgresql://角色@主机/数据库"
        "（默认 PY_MEMORY_DATABASE_URL，否则在 --data 中）",
        "metrics": "向任何人提供 Prometheus 的 /metrics",
        "log": "每个请求在标准错误输出写一行 JSON（默认），或不写（none）",
        "migrate": "创建或更新 PostgreSQL 存储的表，并允许其地址中的角色提供服务",
        "owner": "拥有数据库的角色所用的地址",
        "move": "把整个存储复制到空的存储中，例如从 SQLite 到 PostgreSQL",
        "move_to": "新存储的地址",
        "data": "存储所在的文件夹（默认 data）",
        "label": "设备的名称",
        "days": "令牌的有效天数（默认直到被撤销）",
        "no_file": "没有文件 {path}。请检查文件名；只有“import”和“chat”会新建文件。",
        "none": "没有找到。",
        "healthy": "没有问题。",
        "fixed": "{kind}：已处理 {count} 条。",
        "exported": "已写入 {path}。",
        "imported": "新增：{imported}。已有：{skipped}。冲突：{conflicts}。拒绝：{refused}。",
        "target": "新文件；不写则把文本输出到标准输出",
        "which_format": "db（数据库）、jsonl（同样的内容，文本形式）或 markdown（便于阅读）",
        "one_session": "只导出这个会话以及从中得知的内容",
        "which_source": "记忆文件，或 ChatGPT、Claude、Open WebUI、LibreChat、Chatbot UI、Gemini "
        "的导出文件，或一份记忆列表",
        "dry_run": "只说明里面有什么，不做任何改动",
        "only": "只导入这个编号的会话（编号见 --dry-run 的列表）；可重复使用",
        "no_memories": "不导入该产品保存的关于你的记忆",
        "needs_target": "数据库需要写入一个文件，请给出文件名。",
        "would_add": "{format}：{conversations} 个会话，{messages} 条消息，{memories} 条已保存的记忆。"
        "没有做任何改动。",
        "would_add_dated": "{format}：{conversations} 个会话，{messages} 条消息，"
        "{memories} 条已保存的记忆，{first} 至 {last}。没有做任何改动。",
        "left_out": "未导入：{reasons}。",
        "added_chats": "会话：{conversations}。消息：{messages}。待确认：{suggestions}。",
        "stopped": "已停止。已导入的会话都是完整的；再次导入该文件即可得到其余部分。",
        "more": "……还有 {count} 个",
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
        "conflicts": "互相矛盾、等待你回答的事实",
        "waiting": "等待你确认的事实",
        "embedder": "向量模型无法使用；目前只按词语查找记忆",
        "interrupted": "已用 Ctrl-C 停止。没有留下做了一半的内容。",
        "system_refuses": "系统拒绝：{what}。",
        "no_text": "给出的或读到的内容不是 UTF-8 文本。请检查后再试。",
        "confirm": "确认这个编号的事实；编号可以只写开头，只要不会混淆",
        "reject": "否认它：它会被删除，不再提出",
        "how_to_answer": "回答方法：用“py-memory facts {file} --status candidate”（或 "
        "disputed）列出它们及编号，再改用 --confirm 编号 或 --reject 编号。",
        "ambiguous": "有 {count} 条事实的编号以 {id} 开头。请多写几位。",
        "no_token": "没有给出令牌。请把“py-memory server tokens add 名字”给出的令牌放进 {variable}，或用 "
        "--token。",
        "no_address": "同步服务器的地址形如 https://example.org；{url} 里没有可用的主机名。",
        "no_port": "端口是 0 到 65535 的数字（0 表示任选一个空闲端口）",
        "one_line": "{what}应为一行文本，最多 200 个字符。",
        "device_name": "设备名称",
        "key_id": "令牌编号",
        "no_user": "这个服务器没有用户 {name}。“py-memory server users list”列出已有的用户，“users "
        "add”添加用户。",
        "no_valid_token": "这个服务器没有编号为 {key} 的有效令牌。用“py-memory server tokens list "
        "名字”查看。",
        "no_site": "{path} 不是已构建的网页：里面没有 policy.json。请给出“python3 build.py "
        "build”生成的文件夹。",
        "plain_server": "由标准库提供服务。设备多时，请先 pip install 'py_memory[server]'。",
    },
}

# What became of something that was to be imported, and why it was left out.
OUTCOMES: dict[str, dict[str, str]] = {
    "en": {
        "added": "added",
        "updated": "updated",
        "known": "known already",
        "skipped": "left out",
        "shortened": "shortened",
        "empty": "nothing was said",
        "malformed": "of a form that is not understood",
        "too_large": "too large",
        "too_deep": "nested too deeply",
        "forgotten": "forgotten here before",
        "private": "not to be remembered",
        "secret": "holds a secret",
        "too_many": "more than can be answered at once",
    },
    "zh": {
        "added": "新增",
        "updated": "更新",
        "known": "已有",
        "skipped": "未导入",
        "shortened": "已缩短",
        "empty": "没有内容",
        "malformed": "格式无法识别",
        "too_large": "太大",
        "too_deep": "嵌套太深",
        "forgotten": "之前在这里被忘记",
        "private": "不应被记住",
        "secret": "含有机密",
        "too_many": "一次无法处理这么多",
    },
}


def on(time: int | None) -> str:
    """A time (ms) as it is shown; "" for none."""
    return "" if time is None else datetime.fromtimestamp(time / 1000).strftime("%Y-%m-%d %H:%M")


def counted(counts: Mapping[str, int]) -> str:
    """Counts by table, or in words by what became of something."""
    words = OUTCOMES[language()]
    return ", ".join(f"{words.get(name, name)} {count}" for name, count in counts.items()) or "0"
