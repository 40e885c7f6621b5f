"""After the first visit the page works without its server, and it never asks another origin for anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

from .conftest import wait_until_ready

Launch = Callable[..., BrowserContext]
OpenPage = Callable[..., Page]

# Chromium's own view of the network: page, worker and service worker alike, also what a policy has blocked.
RECORD_VIOLATIONS = """
    globalThis.violations = [];
    addEventListener("securitypolicyviolation", (event) =>
        globalThis.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
"""


def watch(context: BrowserContext) -> tuple[list[str], list[str]]:
    """Addresses requested by pages, workers and the service worker from now on, and console messages."""
    requests: list[str] = []
    messages: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    context.on("console", lambda message: messages.append(message.text))
    context.add_init_script(RECORD_VIOLATIONS)
    return requests, messages


def foreign(requests: list[str], url: str) -> list[str]:
    own = urlsplit(url).netloc
    return [
        address
        for address in requests
        if urlsplit(address).scheme not in ("blob", "data") and urlsplit(address).netloc != own
    ]


def look_through_the_models(page: Page) -> None:
    """Everything short of connecting or choosing one."""
    page.locator(".model-button").click()
    page.locator("#model-address").fill("https://example.org/v1")
    page.locator("#model-key").fill("sk-not-sent-anywhere")
    for kind in ("offline", "device", "browser"):
        page.locator(f"[data-kind={kind}] summary").click()
        page.locator(f"[data-kind={kind}] .kind-note").first.wait_for()
    page.keyboard.press("Escape")


def test_works_with_the_server_stopped(launch: Launch, open_page: OpenPage, server: Any) -> None:
    context = launch()
    page = open_page(context, url=server.url)
    assert page.evaluate("navigator.serviceWorker.controller !== null")
    page.evaluate("pyMemory.call('set_fact', { key: 'user::name', value: 'Ada' })")
    page.evaluate("pyMemory.flush()")
    page.close()

    server.stop()
    page = open_page(context, url=server.url)
    assert page.evaluate("pyMemory.call('get_fact', { key: 'user::name' })")["value"] == "Ada"
    page.evaluate("pyMemory.call('set_fact', { key: 'user::name', value: 'Grace' })")
    page.reload()
    wait_until_ready(page)
    assert page.evaluate("pyMemory.call('get_fact', { key: 'user::name' })")["value"] == "Grace"


def test_nothing_is_asked_of_another_origin(launch: Launch, open_page: OpenPage, site_url: str) -> None:
    context = launch()
    requests, messages = watch(context)
    for _ in range(2):  # the first visit installs the service worker, the second comes through it
        page = open_page(context)
        sent = page.evaluate("pyMemory.send({ text: 'Remember that I like https://example.org/a.png' })")
        assert sent is not None
        page.evaluate("pyMemory.call('search', { text: 'example' })")
        look_through_the_models(page)
        assert page.evaluate("violations") == []
        page.close()
    assert any(address.endswith(".wasm") for address in requests), "requests of workers are not seen"
    assert foreign(requests, site_url) == []
    # What runs a model on this device, 10 MB, is not fetched before one is chosen.
    assert [address for address in requests if "wllama" in address or "/device-" in address] == []
    assert [text for text in messages if "Content Security Policy" in text] == []


def test_the_policy_is_in_force_in_page_and_worker(launch: Launch, open_page: OpenPage) -> None:
    page = open_page(launch())
    blocked = page.evaluate(
        """async () => {
            const before = [];
            addEventListener("securitypolicyviolation", (event) => before.push(event.effectiveDirective));
            const fetched = await fetch("https://example.org/").then(() => true, () => false);
            const script = document.createElement("script");
            script.textContent = "globalThis.inlineRan = true";
            document.head.append(script);
            await new Promise((resolve) => setTimeout(resolve, 200));
            return { fetched, inline: globalThis.inlineRan === true, before };
        }"""
    )
    assert blocked["fetched"] is False
    assert blocked["inline"] is False
    assert "connect-src" in blocked["before"]
    assert {"script-src-elem", "script-src"} & set(blocked["before"])
    headers = page.evaluate(
        """async () => {
            const urls = performance.getEntriesByType("resource").map((entry) => entry.name);
            const script = urls.find((url) => /assets\\/worker-/.test(url));
            return [location.href, script].map(async (url) =>
                (await fetch(url)).headers.get("Content-Security-Policy"))
                .reduce(async (all, one) => [...(await all), await one], []);
        }"""
    )
    assert all(header and "default-src 'none'" in header for header in headers), headers


def test_a_missing_file_is_no_page(launch: Launch, open_page: OpenPage, site_url: str) -> None:
    page = open_page(launch())
    answer = page.evaluate(
        """async () => {
            const response = await fetch("assets/app-GONE.js");
            return [response.status, await response.text()];
        }"""
    )
    assert answer[0] == 404
    assert "<" not in answer[1]
