"""The command line, run as people run it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

from py_memory import MemoryStore
from py_memory.cli import main
from py_memory.cli.tables import table, width
from py_memory.cli.words import OUTCOMES, WORDS
from py_memory.formats.chats import SKIPPED
from tests.modelserver import ModelServer

from .exports import EXPORTS

pytestmark = pytest.mark.cpython


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    store = MemoryStore(path)
    session = store.create_session("Dinner").id
    said = store.add_message(session, "user", "Mei cannot eat peanuts 花生")
    store.add_message(session, "assistant", "Noted.")
    store.set_fact("user::allergy", "花生", source_message_id=said.id, quote="cannot eat peanuts")
    store.close()
    return path


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("command", ["inspect", "messages", "facts", "stats", "doctor"])
def test_every_look_has_a_table_and_json(
    capsys: pytest.CaptureFixture[str], file: Path, command: str
) -> None:
    code, text = run(capsys, command, file)
    assert code == 0
    assert text.strip()
    code, text = run(capsys, command, file, "--json")
    assert code == 0
    json.loads(text)


def test_facts_and_messages_as_json_are_whole_records(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    (fact,) = json.loads(run(capsys, "facts", file, "--json")[1])
    assert (fact["key"], fact["value"], fact["quote"]) == ("user::allergy", "花生", "cannot eat peanuts")
    messages = json.loads(run(capsys, "messages", file, "--json", "--limit", "1")[1])
    assert [message["content"] for message in messages] == ["Noted."]


def test_search(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    (hit,) = json.loads(run(capsys, "search", file, "花生", "--json")[1])
    assert "peanuts 花生" in hit["text"]
    assert run(capsys, "search", file, "cashews") == (0, "Nothing found.\n")
    ranked = json.loads(run(capsys, "search", file, "which nuts? 花生", "--ranked", "--json")[1])
    assert hit["message_id"] in [item["id"] for item in ranked]


def test_sql_reads_and_only_reads(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    code, text = run(capsys, "sql", file, "SELECT value FROM facts", "--json")
    assert (code, json.loads(text)) == (0, [{"value": "花生"}])
    endless = run(capsys, "sql", file, "SELECT 1e400 AS a, -1e400 AS b, 1.5 AS c", "--json")[1]
    assert json.loads(endless, parse_constant=pytest.fail) == [{"a": "Infinity", "b": "-Infinity", "c": 1.5}]
    before = file.read_bytes()
    for statement in ("DELETE FROM facts", "ATTACH 'other.db' AS o", "SELECT 1; SELECT 2", "nonsense"):
        assert run(capsys, "sql", file, statement)[0] == 2
    assert file.read_bytes() == before


def test_export_and_import(capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.db", tmp_path / "other.db"
    assert run(capsys, "export", file, copy)[0] == 0
    assert run(capsys, "export", file, copy)[0] == 2
    assert run(capsys, "import", other, copy)[0] == 0
    assert json.loads(run(capsys, "facts", other, "--json")[1])[0]["value"] == "花生"


@pytest.mark.parametrize("turned", [False, True])
def test_another_products_export_comes_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, turned: bool
) -> None:
    memory, export = tmp_path / "new.db", tmp_path / "export.zip"
    export.write_bytes(EXPORTS["claude zip"]().getvalue())
    order = (memory, export) if turned else (export, memory)
    code, text = run(capsys, "import", *order, "--dry-run")
    assert code == 0
    assert "claude: 1 conversations with 2 messages, 3 saved memories" in text
    assert "Chat k1" in text
    assert not memory.exists()
    code, text = run(capsys, "import", *order)
    assert (code, text) == (0, "Conversations: added 1. Messages: added 2. To confirm: added 3.\n")
    report = json.loads(run(capsys, "import", *order, "--json")[1])
    assert (report["conversations"], report["messages"]) == ({"known": 1}, {"known": 2})
    candidates = json.loads(run(capsys, "facts", memory, "--status", "candidate", "--json")[1])
    assert len(candidates) == 3


def test_some_conversations_of_an_export(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    memory, export = tmp_path / "new.db", tmp_path / "export.json"
    export.write_bytes(EXPORTS["chatgpt"]().getvalue())
    seen = json.loads(run(capsys, "import", memory, export, "--dry-run", "--json")[1])
    assert [chat["id"] for chat in seen["chats"]] == ["c1", "c2"]
    assert run(capsys, "import", memory, export, "--only", "c2", "--no-memories")[0] == 0
    assert json.loads(run(capsys, "stats", memory, "--json")[1])["sessions"] == 1


def test_what_cannot_be_imported_makes_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\0")
    assert main(["import", str(tmp_path / "photo.jpg"), str(tmp_path / "new.db")]) == 2
    assert "ImportRefusedError: photo.jpg is a picture" in capsys.readouterr().err
    assert not (tmp_path / "new.db").exists()


def test_a_dry_run_of_a_memorys_file_changes_nothing(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path
) -> None:
    lines, other = tmp_path / "memory.jsonl", tmp_path / "other.db"
    assert run(capsys, "export", file, lines)[0] == 0
    assert "messages 2" in run(capsys, "import", other, lines, "--dry-run")[1]
    assert not other.exists()
    assert run(capsys, "import", other, file)[0] == 0
    before = run(capsys, "stats", other, "--json")
    assert "Added: 0" in run(capsys, "import", lines, other, "--dry-run")[1]
    assert run(capsys, "stats", other, "--json") == before
    own = MemoryStore(tmp_path / "own.db")
    own.close()
    assert "messages 2" in run(capsys, "import", lines, tmp_path / "own.db", "--dry-run")[1]
    assert json.loads(run(capsys, "stats", tmp_path / "own.db", "--json")[1])["messages"] == 0


def test_text_goes_to_standard_output(file: Path) -> None:
    session = MemoryStore(file).list_sessions()[0].id
    command = [sys.executable, "-m", "py_memory.cli", "export", str(file)]
    chinese = {"LC_ALL": "zh_CN.UTF-8"}
    more = ["--format", "markdown", "--session", session]
    done = subprocess.run([*command, *more], capture_output=True, env=chinese, check=True)
    assert "## 你 · " in done.stdout.decode()
    assert "Mei cannot eat peanuts 花生" in done.stdout.decode()
    done = subprocess.run([*command, "--format", "jsonl"], capture_output=True, check=True)
    assert json.loads(done.stdout.splitlines()[0])["py_memory"] == 1
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"needs a file" in done.stderr


def test_the_format_follows_from_the_name(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path
) -> None:
    assert run(capsys, "export", file, tmp_path / "m.md")[0] == 0
    assert (tmp_path / "m.md").read_text("utf-8").startswith("# Memory\n")
    assert run(capsys, "export", file, tmp_path / "one", "--session", "no such")[0] == 2
    assert not (tmp_path / "one").exists()


def test_both_languages_say_the_same_things() -> None:
    for words in (WORDS, OUTCOMES):
        assert words["en"].keys() == words["zh"].keys()
    assert set(SKIPPED) <= OUTCOMES["en"].keys()


def test_doctor_finds_and_fixes(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    store = MemoryStore(file)
    session = store.list_sessions()[0].id
    store.edit_message(store.list_messages(session)[0].id, "Mei eats everything")
    store.close()
    code, text = run(capsys, "doctor", file, "--json")
    assert (code, [finding["kind"] for finding in json.loads(text)]) == (0, ["waiting"])
    code, text = run(capsys, "doctor", file, "--fix")
    assert code == 0  # what waits for the user is nothing wrong
    assert "wait for your answer" in text
    assert "--confirm ID" in text


def test_facts_are_answered_by_the_beginning_of_their_id(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    store = MemoryStore(file)
    yes, no = store.propose_fact("user::name", "Ada"), store.propose_fact("user::diet", "vegan")
    assert yes is not None
    assert no is not None
    store.close()
    assert main(["facts", str(file), "--confirm", yes.id[:2]]) == 2  # the same for all
    assert "Give more of it" in capsys.readouterr().err
    assert main(["facts", str(file), "--confirm", ""]) == 2
    assert run(capsys, "facts", file, "--confirm", yes.id[:-1]) == (0, "Kept: user::name = Ada.\n")
    assert run(capsys, "facts", file, "--reject", no.id) == (0, "Dropped: user::diet = vegan.\n")
    facts = json.loads(run(capsys, "facts", file, "--status", "all", "--json")[1])
    assert {(fact["value"], fact["status"]) for fact in facts} == {("Ada", "current"), ("花生", "current")}
    assert yes.id in run(capsys, "facts", file)[1]  # whole, where the output is no terminal
    assert run(capsys, "forget", file, "--fact", yes.id[:-1], "--yes")[0] == 0
    assert len(json.loads(run(capsys, "facts", file, "--status", "all", "--json")[1])) == 1


def test_forget_says_first_and_leaves_no_trace(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    code, text = run(capsys, "forget", file, "--text", "peanuts")
    assert code == 0
    assert "messages 1" in text
    assert "facts 1" in text
    assert len(json.loads(run(capsys, "facts", file, "--json")[1])) == 1
    assert run(capsys, "forget", file, "--text", "peanuts", "--yes")[0] == 0
    assert run(capsys, "facts", file, "--json")[1].strip() == "[]"
    data = b"".join(path.read_bytes() for path in file.parent.glob("memory.db*"))
    assert b"peanut" not in data
    assert "花生".encode() not in data


def test_what_is_not_there_or_not_ours(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(capsys, "facts", tmp_path / "none.db")[0] == 2
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text.db").write_text("not a database")
    assert run(capsys, "facts", tmp_path / "text.db")[0] == 2
    connection = sqlite3.connect(tmp_path / "foreign.db")
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    assert run(capsys, "inspect", tmp_path / "foreign.db")[0] == 2


def test_as_a_program_in_chinese(file: Path) -> None:
    command = [sys.executable, "-m", "py_memory.cli", "search", str(file), "不存在"]
    done = subprocess.run(command, capture_output=True, env={"LC_ALL": "zh_CN.UTF-8"}, check=True)
    assert done.stdout.decode().strip() == "没有找到。"


def test_chat(file: Path) -> None:
    command = [sys.executable, "-m", "py_memory.cli", "chat", str(file)]
    done = subprocess.run(command, input=b"what do you know about me?\n", capture_output=True, check=True)
    assert "花生" in done.stdout.decode()


def test_chat_shows_what_it_asks_about(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "py_memory.cli", "chat", str(tmp_path / "new.db")]
    done = subprocess.run(command, input=b"My cat is called Biscuit.\n", capture_output=True, check=True)
    assert "cat: Biscuit. Type /keep" in done.stdout.decode()


def test_chat_undoes_what_it_says_it_can_undo(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    command = [sys.executable, "-m", "py_memory.cli", "chat", str(path)]
    said = "remember that I like jazz\nforget that I like jazz\nundo\n"
    done = subprocess.run(command, input=said.encode(), capture_output=True, check=True)
    assert "say “undo”" in done.stdout.decode()
    assert "is back" in done.stdout.decode()
    store = MemoryStore(path)
    assert [fact.value for fact in store.list_facts()] == ["jazz"]
    store.close()


def test_tables_count_chinese_characters_twice() -> None:
    assert width("花生 ok") == 7
    lines = table(["key", "value"], [["a", "花生" * 40], ["b", "x\x1b[2J"]], columns=40).splitlines()
    assert all(width(line) <= 40 for line in lines)
    assert "\x1b" not in "".join(lines)


def test_chat_with_a_model_server(model_server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    model_server.script(
        {"text": "Good morning, 早上好.\x1b[2J"}, {"text": "Half of", "disconnect_after": 2}, key="sk-1"
    )
    command = [sys.executable, "-m", "py_memory.cli", "chat", str(path), "--model", model_server.url]
    done = subprocess.run(
        [*command, "--key-env", "MY_KEY"],
        input=b"I am a vegetarian.\n/keep\n/keep\nAnd then?\n",
        capture_output=True,
        check=True,
        env={**os.environ, "MY_KEY": "sk-1", "PYTHONUTF8": "1"},
    )
    said = done.stdout.decode()
    for part in (
        "test-model answers.",
        "Good morning, 早上好.�[2J\n",
        "diet: vegetarian. Type /keep or /drop.\n",
        "Kept: diet: vegetarian.\n",
        "Nothing waits for you.\n",
        "Half of",
        "No answer this time: The connection to",
    ):
        assert part in said
    assert "sk-1" not in said
    store = MemoryStore(path)
    assert [fact.value for fact in store.list_facts()] == ["vegetarian"]
    statuses = [message.status for message in store.get_recent_messages(store.get_or_create_session().id)]
    assert statuses == ["complete", "complete", "complete", "failed"]
    store.close()


def test_ctrl_c_stops_an_answer_and_not_the_chat(model_server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    model_server.script(
        {"text": "It was a", "stall_after": 2},
        {"status": 429, "headers": {"Retry-After": "50"}},
        {"text": "Very well."},
    )
    command = [sys.executable, "-m", "py_memory.cli", "chat", str(path), "--model", model_server.url]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=environment) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write("Tell me a story\n")
        running.stdin.flush()
        heard = ""
        while "It was a" not in heard:
            heard += running.stdout.read(1)
        running.send_signal(signal.SIGINT)
        running.stdin.write("Go on\n")
        running.stdin.flush()
        while "Asking again in 50 s." not in heard:
            heard += running.stdout.read(1)
        running.send_signal(signal.SIGINT)
        heard, _ = running.communicate("Never mind\n", timeout=30)
        assert "Very well." in heard
        assert running.returncode == 0
    store = MemoryStore(path)
    answers = [message.content for message in store.get_recent_messages(store.get_or_create_session().id)]
    assert answers[:2] == ["Tell me a story", "It was a"]
    assert answers[2] == "Go on"
    assert answers[4:] == ["Never mind", "Very well."]
    store.close()


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        (["--name", "gemma"], "InvalidInputError", "belong to --model"),
        (["--model", "localhost:1", "--key-env", "NOT_SET"], "InvalidInputError", "NOT_SET is not set"),
        (["--model", "not an address"], "ModelAddressError", "http://localhost:11434/v1"),
        (["--model", "127.0.0.1:9"], "ModelUnreachableError", "Nothing answers at 127.0.0.1:9"),
    ],
)
def test_chat_says_what_keeps_it_from_starting(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], error: str, told: str
) -> None:
    path = tmp_path / "new.db"
    assert main(["chat", str(path), *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith(error)
    assert told in said
    assert not path.exists()


def test_consolidating_with_a_model(
    capsys: pytest.CaptureFixture[str], model_server: ModelServer, tmp_path: Path
) -> None:
    path = tmp_path / "memory.db"
    store = MemoryStore(path)
    session = store.create_session().id
    for number in range(5):
        store.add_message(session, "user", f"On walk {number} I played the violin.")
    store.set_fact("user::name", "Mei")
    store.close()
    found = {"key": "user::plays", "value": "violin", "quote": "I played the violin", "confidence": 0.9}
    model_server.script({"text": json.dumps({"facts": [found]})})
    code, said = run(capsys, "consolidate", path, "--model", model_server.url)
    assert code == 0
    assert "Tidied up: weighed anew 1.\n" in said
    assert "Read: 1 parts. Facts that wait for your yes: 1. Summaries written: 0." in said
    model_server.script({"status": 401})
    code, said = run(capsys, "consolidate", path)
    assert (code, said) == (0, "Tidied up: 0.\n")
    assert model_server.requests() == []


NO_TEXT = b"\xff".decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sync", "FILE", "http://a b/", "--token", "x"), "InvalidInputError: A sync server's address"),
        (
            ("sync", "FILE", "http://münchen..de/", "--token", "x"),
            "InvalidInputError: A sync server's address",
        ),
        (("sync", "FILE", f"http://{'a' * 300}.com/", "--token", "x"), "InvalidInputError: A sync server's"),
        (("sync", "FILE", "http://127.0.0.1:9"), "InvalidInputError: No token was given"),
        (("sql", "FILE", f"SELECT '{NO_TEXT}'"), "InvalidInputError: SQLite refuses the statement"),
        (("server", "tokens", "add", "Ada", "--device", NO_TEXT), "InvalidInputError: The name of a device"),
        (("server", "tokens", "add", "nobody"), "InvalidInputError: This server has no user 'nobody'"),
        (("server", "tokens", "revoke", NO_TEXT), "InvalidInputError: The key id"),
        (("server", "tokens", "revoke", "nope"), "InvalidInputError: This server has no valid token"),
        (("server", "users", "list", "--data", "FILE"), ""),
        (("serve", "--site", "/nonexist"), "InvalidInputError: /nonexist is not a built site"),
        (("serve", "--port", "80000000000"), "usage:"),
        (("export", "FILE", "/nonexist/x.jsonl"), ""),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    capsys: pytest.CaptureFixture[str],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.chdir(file.parent)
    monkeypatch.delenv("PY_MEMORY_TOKEN", raising=False)
    try:
        code = main([str(file) if argument == "FILE" else argument for argument in arguments])
    except SystemExit as end:  # how argparse refuses
        code = int(str(end.code))
    said = capsys.readouterr().err
    assert code == 2
    assert said.startswith(told)
    assert said.strip()


def test_an_output_without_unicode_gets_escapes(file: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for options in (
        ["messages", file],
        ["search", file, "花生"],
        ["facts", file],
        ["export", file, "--format", "jsonl"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "py_memory.cli", *map(str, options)], capture_output=True, env=environment
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert ("花生".encode() if options[0] == "export" else rb"\u") in done.stdout
    command = [sys.executable, "-m", "py_memory.cli", "facts", str(file), "--json"]
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert json.loads(done.stdout)[0]["value"] == "花生"


def test_ctrl_c_ends_an_endless_statement(file: Path) -> None:
    endless = "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) FROM a"
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "py_memory.cli", "sql", str(file), endless],
        stderr=PIPE,
        text=True,
        # A shell's background jobs ignore Ctrl-C, and pass that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:  # until the last module is there; then the statement begins
            if line.rstrip().endswith(" py_memory.cli.main"):
                break
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        try:
            said = running.communicate(timeout=15)[1]
        finally:
            running.kill()
    assert running.returncode == 130
    assert said.endswith("Stopped by Ctrl-C. Nothing was left half-done.\n")


def test_a_terminal_obeys_nothing_that_was_said(file: Path) -> None:
    store = MemoryStore(file)
    store.add_message(store.list_sessions()[0].id, "user", "\x1b[2J\x9b2J bell \x07")
    store.close()
    command = [sys.executable, "-m", "py_memory.cli", "export", str(file), "--format", "markdown"]
    exact = subprocess.run(command, capture_output=True, check=True).stdout
    assert "\x1b[2J\x9b2J bell \x07".encode() in exact
    ours, theirs = os.openpty()
    try:
        subprocess.run(command, stdout=theirs, check=True)
        shown = os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert "\ufffd[2J\ufffd2J bell \ufffd" in shown
    assert "花生" in shown


def test_a_dry_run_of_a_list_names_no_days(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("- likes jazz\n- has a dog\n")
    code, text = run(capsys, "import", tmp_path / "new.db", tmp_path / "list.txt", "--dry-run")
    assert (code, text) == (
        0,
        "list: 0 conversations with 0 messages, 2 saved memories. Nothing was changed.\n",
    )
