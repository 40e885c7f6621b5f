"""Each way that a model can fail: which error it is, and what the user is told, in English and Chinese.

A sentence says what happened and what to do. What stands in braces comes from the error's `details`: the
server (host and port), the model's name, the words the server sent (`said`, shortened, without the key).
"""

from __future__ import annotations

from collections.abc import Mapping

from py_memory.errors import (
    ContextTooLongError,
    ModelAddressError,
    ModelBadAnswerError,
    ModelError,
    ModelInterruptedError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelStalledError,
    ModelUnauthorisedError,
    ModelUnreachableError,
)

__all__ = ["FAILURES", "failure", "sentence"]

# code → (error, English, Chinese)
FAILURES: dict[str, tuple[type[ModelError], str, str]] = {
    "unreachable": (
        ModelUnreachableError,
        "Nothing answers at {server}. Check that the model server is running and that the address is right.",
        "{server} 没有应答。请确认模型服务器正在运行，地址没有填错。",
    ),
    "unknown_host": (
        ModelUnreachableError,
        "There is no computer named {server}. Check the address and the network connection.",
        "找不到名为 {server} 的主机。请检查地址和网络连接。",
    ),
    "connect_timeout": (
        ModelUnreachableError,
        "{server} did not take the connection within {seconds} s. Check the address, the network and the "
        "firewall.",
        "{server} 在 {seconds} 秒内没有接受连接。请检查地址、网络和防火墙。",
    ),
    "not_secure": (
        ModelUnreachableError,
        "The connection to {server} is not safe: its certificate was refused, and nothing was sent. Check "
        "the address and this computer's clock.",
        "与 {server} 的连接不安全：证书未通过验证，没有发送任何内容。请检查地址和本机时间。",
    ),
    "offline": (
        ModelUnreachableError,
        "There is no network, and {server} needs one. Go on when you are online again, or use a model on "
        "this device.",
        "当前没有网络，而 {server} 需要联网。请联网后再试，或使用本机上的模型。",
    ),
    "blocked_local": (
        ModelUnreachableError,
        "This page could not reach {server}. Start the model server there; let it accept requests from "
        "{origin} (for Ollama: OLLAMA_ORIGINS={origin} ollama serve; in LM Studio switch on CORS; llama.cpp "
        "accepts them as it is); and choose “Allow” if the browser asks about the local network.",
        "页面无法连接 {server}。请启动那里的模型服务器，允许来自 {origin} 的请求"
        "（Ollama：OLLAMA_ORIGINS={origin} ollama serve；LM Studio：打开 CORS；llama.cpp 默认允许），"
        "并在浏览器询问本地网络权限时选择“允许”。",
    ),
    "blocked": (
        ModelUnreachableError,
        "This page could not reach {server}: it is not there, or it takes no requests from web pages. Check "
        "the address; if the server is yours, let it accept requests from {origin}.",
        "页面无法连接 {server}：它不在，或者不接受网页的请求。请检查地址；"
        "如果服务器是你的，请允许来自 {origin} 的请求。",
    ),
    "policy": (
        ModelUnreachableError,
        "This page is not allowed to reach {server}, so nothing was sent. Connect it again in the model "
        "settings.",
        "页面没有访问 {server} 的许可，没有发送任何内容。请在模型设置中重新连接。",
    ),
    "permission": (
        ModelUnreachableError,
        "The browser does not let this page reach {server}: access to the local network was refused. Open "
        "the settings of this site, left of the address, allow it there, and try again.",
        "浏览器不允许页面连接 {server}：本地网络权限被拒绝。请点击地址栏左侧的网站设置，允许后再试。",
    ),
    "mixed": (
        ModelUnreachableError,
        "A page that came over https reaches no server over http, so nothing was sent to {server}. Enter an "
        "address that begins with https://.",
        "通过 https 打开的页面不能访问 http 服务器，没有向 {server} 发送任何内容。"
        "请使用以 https:// 开头的地址。",
    ),
    "bad_address": (
        ModelAddressError,
        "This is no address of a model server. Enter one such as http://localhost:11434/v1, without a name, "
        "a password or a question mark in it.",
        "这不是模型服务器的地址。请填写类似 http://localhost:11434/v1 的地址，不要包含用户名、密码或问号。",
    ),
    "key_in_clear": (
        ModelAddressError,
        "The key would travel to {server} for everybody to read. Enter an address that begins with https://.",
        "密钥会以明文发送到 {server}，途中任何人都能读到。请使用以 https:// 开头的地址。",
    ),
    "redirected": (
        ModelAddressError,
        "{server} sends on to {address}. Nothing was sent there, nor the key. If you trust that server, "
        "enter its address instead.",
        "{server} 要求转到 {address}。没有向那里发送任何内容，也没有发送密钥。"
        "如果信任该服务器，请直接填写它的地址。",
    ),
    "redirected_elsewhere": (
        ModelAddressError,
        "{server} sends on to another address. Nothing was sent there, nor the key. Enter the address that "
        "the model server really has.",
        "{server} 要求转到另一个地址。没有向那里发送任何内容，也没有发送密钥。请填写模型服务器的真实地址。",
    ),
    "not_a_server": (
        ModelAddressError,
        "{server} answers, but not as a model server. Check the address: it mostly ends in /v1.",
        "{server} 有应答，但不是模型服务器。请检查地址：通常以 /v1 结尾。",
    ),
    "no_key": (
        ModelUnauthorisedError,
        "{server} wants a key. Enter one in the model settings.",
        "{server} 需要密钥。请在模型设置中填写。",
    ),
    "wrong_key": (
        ModelUnauthorisedError,
        "{server} does not accept the key. Enter it again in the model settings, or make a new one there.",
        "{server} 不接受这个密钥。请在模型设置中重新填写，或到服务商处新建一个。",
    ),
    "forbidden": (
        ModelUnauthorisedError,
        "{server} does not allow this to the key. Choose another model, or give the key the right to use "
        "“{model}”.",
        "{server} 不允许这个密钥这样做。请换一个模型，或为密钥开通“{model}”的权限。",
    ),
    "quota": (
        ModelUnauthorisedError,
        "The account at {server} has nothing left to spend. Look after it there, or choose another model.",
        "{server} 的账户额度已用完。请到服务商处处理，或换一个模型。",
    ),
    "rate_limited": (
        ModelRateLimitedError,
        "{server} has been asked too often. Try again in {seconds} s.",
        "向 {server} 发送的请求太多。请在 {seconds} 秒后再试。",
    ),
    "overloaded": (
        ModelOverloadedError,
        "{server} is too busy just now. Try again in a moment.",
        "{server} 现在太忙。请稍后再试。",
    ),
    "loading": (
        ModelOverloadedError,
        "{server} is still loading the model. Try again in a moment.",
        "{server} 还在加载模型。请稍后再试。",
    ),
    "server_error": (
        ModelOverloadedError,
        "{server} failed within (error {status}). Try again; if it goes on, look into the server's own log.",
        "{server} 内部出错（错误 {status}）。请再试一次；如果一直这样，请查看服务器的日志。",
    ),
    "model_not_found": (
        ModelNotFoundError,
        "{server} has no model named “{model}”. Choose one from its list, or fetch it there first (for "
        "Ollama: ollama pull {model}).",
        "{server} 没有名为“{model}”的模型。请从列表中选择，或先在那里下载（Ollama：ollama pull {model}）。",
    ),
    "no_models": (
        ModelNotFoundError,
        "{server} has no model yet. Fetch or load one there first.",
        "{server} 还没有模型。请先在那里下载或加载一个。",
    ),
    "context_too_long": (
        ContextTooLongError,
        "This is more than “{model}” can read at once. Start a new chat, send a shorter message, or run the "
        "model with a larger context.",
        "内容超过了“{model}”一次能读的长度。请开始新对话、缩短消息，或用更大的上下文运行模型。",
    ),
    "refused": (
        ModelRefusedError,
        "{server} refused the request (error {status}). Try other words, or another model.",
        "{server} 拒绝了请求（错误 {status}）。请换一种说法，或换一个模型。",
    ),
    "filtered": (
        ModelRefusedError,
        "{server} held the answer back by its content filter. Try other words, or another model.",
        "{server} 的内容过滤拦下了回答。请换一种说法，或换一个模型。",
    ),
    "no_start": (
        ModelStalledError,
        "{server} did not begin to answer within {seconds} s. It may still be loading; try again, or "
        "choose a smaller model.",
        "{server} 在 {seconds} 秒内没有开始回答。它可能还在加载；请再试一次，或换一个更小的模型。",
    ),
    "stalled": (
        ModelStalledError,
        "{server} stopped in the middle of the answer and sent nothing for {seconds} s. Try again.",
        "{server} 的回答中途停下，{seconds} 秒内没有新内容。请再试一次。",
    ),
    "no_answer": (
        ModelInterruptedError,
        "{server} closed the connection without an answer. Try again; if it goes on, look into the server's "
        "own log.",
        "{server} 没有回答就关闭了连接。请再试一次；如果一直这样，请查看服务器的日志。",
    ),
    "interrupted": (
        ModelInterruptedError,
        "The connection to {server} ended in the middle of the answer. Try again.",
        "与 {server} 的连接在回答中途断开。请再试一次。",
    ),
    "page_no_tab": (
        ModelUnreachableError,
        "No open tab has the model. Open the page again, or choose another model.",
        "没有打开的标签页在运行模型。请重新打开页面，或换一个模型。",
    ),
    "page_tab_closed": (
        ModelInterruptedError,
        "The tab that ran the model was closed in the middle of the answer. Try again: another tab takes its "
        "place.",
        "运行模型的标签页在回答中途被关闭。请再试一次：另一个标签页会接替它。",
    ),
    "page_no_model": (
        ModelNotFoundError,
        "The model is not here any more, or this browser cannot run it. Choose it again in the model "
        "settings.",
        "模型已不在这里，或这个浏览器无法运行它。请在模型设置中重新选择。",
    ),
    "page_memory": (
        ModelOverloadedError,
        "There is too little memory for the model. Close other tabs, or choose a smaller model.",
        "内存不足，无法运行模型。请关闭其他标签页，或换一个更小的模型。",
    ),
    "page_failed": (
        ModelOverloadedError,
        "The model in this browser stopped with an error ({reason}). Try again, or choose another model.",
        "浏览器中的模型出错停止了（{reason}）。请再试一次，或换一个模型。",
    ),
    "bad_answer": (
        ModelBadAnswerError,
        "{server} sent something that is no answer of a model. Update the server, or choose another one.",
        "{server} 发来的内容不是模型的回答。请更新服务器，或换一个。",
    ),
}
_SAID = {"en": " The server said: “{said}”", "zh": " 服务器的说明：“{said}”"}


class _Known(dict[str, object]):
    def __missing__(self, name: str) -> str:
        return "?"


def failure(code: str, **details: object) -> ModelError:
    """The error for one of FAILURES; its message is the English sentence."""
    return FAILURES[code][0](_sentence(code, details, "en"), code=code, details=details)


def sentence(error: ModelError, language: str) -> str:
    """What the user is told in "en" or "zh"; an error that is not of FAILURES speaks for itself."""
    if error.code not in FAILURES:
        return str(error)
    return _sentence(error.code, error.details, language)


def _sentence(code: str, details: Mapping[str, object], language: str) -> str:
    _, english, chinese = FAILURES[code]
    values = {name: f"{value:g}" if isinstance(value, float) else value for name, value in details.items()}
    text = (chinese if language == "zh" else english).format_map(_Known(values))
    return text + (_SAID[language].format(said=details["said"]) if details.get("said") else "")
