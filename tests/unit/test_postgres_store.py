"""What the PostgreSQL store owes to the database: who sees what, who may serve, and how it is looked up."""

from __future__ import annotations

import ast
import datetime
import inspect
import re
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from py_memory import ids
from py_memory.errors import InvalidInputError, NewerDatabaseError, PyMemoryError, StorageError
from py_memory.server.open_store import open_store
from py_memory.server.store import Store, Token

from .postgres import Cluster

psycopg = pytest.importorskip("psycopg", reason="the extra “postgres” is not installed")
from py_memory.server import postgres_schema, postgres_store, postgres_unit  # noqa: E402
from py_memory.server.postgres_schema import MIGRATIONS, UnsafeRoleError, migrate, month_bounds  # noqa: E402
from py_memory.server.postgres_store import PostgresStore  # noqa: E402

pytestmark = pytest.mark.cpython
DIRECTORY = {"token_owners"}  # looked up before the user is known


@pytest.fixture
def database(postgres: Cluster) -> Iterator[str]:
    name = postgres.database()
    yield name
    postgres.drop(name)


@pytest.fixture
def store(postgres: Cluster, database: str) -> Iterator[Store]:
    store = open_store(postgres.address(database, "app"))
    yield store
    store.close()


def filled(store: Store, name: str) -> str:
    user = store.add_user(name, 1).id
    store.add_token(Token(name[0] * 12, user, b"h", "", "sync", 1, None, None))
    with store.unit(user, write=True) as unit:
        unit.put("messages", "m", unit.next_seq(), {"identity": {}, "groups": {}}, {"session_id": "s"})
        unit.log("a" * 16, 1, b"h", None)
        unit.set_last_n("a" * 16, 1)
    return user


def tables(postgres: Cluster, database: str) -> list[str]:
    found = postgres.execute(
        "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace "
        "WHERE s.nspname = 'py_memory' AND c.relkind IN ('r', 'p') ORDER BY 1",
        database,
    )
    return [row[0] for row in found]


# -- who sees what --


def test_without_a_user_nothing_is_seen(postgres: Cluster, database: str, store: Store) -> None:
    filled(store, "ann")
    for table in tables(postgres, database):
        name = table.partition(".")[2]
        if name in ("server", "migrations"):
            continue
        for role in ("app", "owner"):  # the owner, too, is under the policies
            try:
                rows = postgres.execute(f"SELECT * FROM {table}", database, role)
            except psycopg.errors.InsufficientPrivilege:
                assert role == "app"
                assert name.startswith("mutation_log_")  # a partition, past its parent's policy
                rows = []
            assert rows == [], (table, role)
        assert postgres.execute(f"SELECT count(*) FROM {table}", database)[0][0] >= name.count("rows")


def test_a_forgotten_predicate_shows_ones_own_rows_alone(
    postgres: Cluster, database: str, store: Store
) -> None:
    ann, bob = filled(store, "ann"), filled(store, "bob")
    with psycopg.connect(postgres.address(database, "app")) as db:
        postgres_unit.act_as(db, ann)
        for table in ("heads", "tokens", "token_owners", "devices", "memory_rows", "mutation_log"):
            owners = {str(row[0]) for row in db.execute(f"SELECT user_id FROM py_memory.{table}")}
            assert owners == {ann}, table
        assert [str(row[0]) for row in db.execute("SELECT id FROM py_memory.users")] == [ann]
        changed = db.execute("UPDATE py_memory.memory_rows SET server_seq = server_seq")
        assert changed.rowcount == 1
        assert db.execute("DELETE FROM py_memory.memory_rows WHERE user_id = %s", (bob,)).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
            db.execute("INSERT INTO py_memory.devices VALUES (%s, 'x', 1)", (bob,))
        for forbidden in (
            "TRUNCATE py_memory.memory_rows",
            "ALTER TABLE py_memory.memory_rows DISABLE ROW LEVEL SECURITY",
            "DELETE FROM py_memory.mutation_log",
            "UPDATE py_memory.users SET name = 'x'",
            "SET ROLE owner",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
                db.execute(forbidden)


def test_a_token_key_shows_its_own_line_of_the_directory(
    postgres: Cluster, database: str, store: Store
) -> None:
    ann = filled(store, "ann")
    filled(store, "bob")
    with psycopg.connect(postgres.address(database, "app")) as db:
        db.execute(postgres_store.FOR_TOKEN, ("a" * 12,))
        found = db.execute("SELECT key, user_id FROM py_memory.token_owners").fetchall()
        assert [(key, str(user)) for key, user in found] == [("a" * 12, ann)]
        assert db.execute("SELECT * FROM py_memory.tokens").fetchall() == []


def test_a_connection_goes_back_as_nobodys(postgres: Cluster, database: str) -> None:
    """One connection serves one user after the other, also after a failure."""
    store = PostgresStore(postgres.address(database, "app"), max_connections=1)
    ann = filled(store, "ann")
    store.users()
    store.token("a" * 12)

    def fail() -> None:
        with store.unit(ann, write=True):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    names = ("user_id", "token_key", "every_user")
    with store._pool.connection() as db:
        settings = [
            db.execute(f"SELECT current_setting('py_memory.{name}', true)").fetchone() for name in names
        ]
        assert [row and row[0] for row in settings] == ["", "", ""]
        assert db.execute("SELECT * FROM py_memory.memory_rows").fetchall() == []
    store.close()


# -- who may serve --


def test_a_role_that_sees_past_the_security_does_not_serve(postgres: Cluster, database: str) -> None:
    def refused(role: str) -> str:
        with pytest.raises(UnsafeRoleError) as caught:
            open_store(postgres.address(database, role))
        return str(caught.value)

    assert "security does not bind" in refused("postgres")
    assert "it owns the table" in refused("owner")
    postgres.execute("CREATE ROLE past LOGIN BYPASSRLS; CREATE ROLE heir LOGIN")
    postgres.execute("GRANT past TO heir")
    try:
        for what in ("USAGE ON SCHEMA py_memory", "SELECT ON py_memory.migrations"):
            postgres.execute(f"GRANT {what} TO past, heir", database)
        assert "past" in refused("past")
        assert "past" in refused("heir")  # who could become it
    finally:
        postgres.execute("DROP OWNED BY past, heir; DROP ROLE past, heir", database)


@pytest.mark.parametrize("off", ["NO FORCE", "DISABLE"])
def test_a_table_without_the_security_is_not_served(postgres: Cluster, database: str, off: str) -> None:
    postgres.execute(f"ALTER TABLE py_memory.devices {off} ROW LEVEL SECURITY", database)
    with pytest.raises(UnsafeRoleError, match="not forced on the table devices"):
        open_store(postgres.address(database, "app"))


@pytest.mark.parametrize("secret", ["hush"])
def test_an_address_that_does_not_open_keeps_its_password(postgres: Cluster, secret: str) -> None:
    for address in (
        f"postgresql://app:{secret}@/absent?host={postgres.folder}",
        f"postgresql://nobody_here:{secret}@/postgres?host={postgres.folder}",
        f"postgresql://app:{secret}@/x?host={postgres.folder}/absent",
        f"postgresql://app:{secret}@/x?nonsense=1",
        f"postgresql://:{secret}@/x",
    ):
        with pytest.raises(PyMemoryError) as caught:
            open_store(address)
        assert isinstance(caught.value, StorageError | InvalidInputError)
        assert secret not in str(caught.value)


# -- migrations and months --


def test_a_database_that_is_not_migrated_is_not_served(postgres: Cluster) -> None:
    database = postgres.database(migrated=False)
    with pytest.raises(StorageError, match="py-memory server migrate"):
        open_store(postgres.address(database, "app"))
    owner = postgres.address(database, "owner")
    with pytest.raises(InvalidInputError, match="no database role"):
        migrate(owner, "absent")
    with pytest.raises(StorageError, match="py-memory server migrate"):  # all or nothing
        open_store(postgres.address(database, "app"))
    assert migrate(owner, "app") == list(MIGRATIONS)
    assert migrate(owner, "app") == []
    store = open_store(postgres.address(database, "app"))
    filled(store, "ann")
    store.close()
    assert migrate(owner, "app") == []
    postgres.drop(database)


def test_a_migration_that_was_altered_is_noticed(postgres: Cluster, database: str) -> None:
    postgres.execute("UPDATE py_memory.migrations SET sha256 = 'x' WHERE number = 1", database)
    with pytest.raises(StorageError, match="another text"):
        open_store(postgres.address(database, "app"))
    with pytest.raises(StorageError, match="another text"):
        migrate(postgres.address(database, "owner"), "app")


def test_a_newer_schema_is_left_alone(postgres: Cluster, database: str) -> None:
    number = len(MIGRATIONS) + 1
    postgres.execute(f"INSERT INTO py_memory.migrations VALUES ({number}, 'x')", database)
    with pytest.raises(NewerDatabaseError):
        open_store(postgres.address(database, "app"))
    with pytest.raises(NewerDatabaseError):
        migrate(postgres.address(database, "owner"), "app")


def test_a_month_holds_the_ids_made_in_it() -> None:
    lower, upper = month_bounds(2026, 11)  # December: months count from 0
    assert (lower, upper) == (month_bounds(2026, 11)[0], month_bounds(2027, 0)[0])

    def id_at(*moment: int) -> str:
        at = round(datetime.datetime(*moment, tzinfo=datetime.UTC).timestamp() * 1000)
        return f"{at:012x}"[:8] + "-" + f"{at:012x}"[8:] + "-7fff-bfff-ffffffffffff"

    assert id_at(2026, 11, 30, 23, 59, 59) < lower <= id_at(2026, 12, 1) < id_at(2026, 12, 31, 23, 59) < upper


def test_the_log_is_kept_by_the_month(
    postgres: Cluster, database: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ids, "_last", (0, 0))  # other tests' clocks run ahead, and ids never go back
    ann = filled(store, "ann")
    owner = postgres.address(database, "owner")

    def months() -> list[str]:
        names = [table.partition(".")[2] for table in tables(postgres, database)]
        return [name for name in names if name.startswith("mutation_log_")]

    def rows(table: str) -> int:
        return int(postgres.execute(f"SELECT count(*) FROM py_memory.{table}", database)[0][0])

    today = datetime.datetime.now(datetime.UTC).date()
    assert rows(f"mutation_log_{today:%Y_%m}") == rows("mutation_log") == 1
    assert rows("mutation_log_other") == 0
    migrate(owner, "app", today + datetime.timedelta(days=90))
    assert rows("mutation_log") == 1
    migrate(owner, "app", today + datetime.timedelta(days=366))
    assert rows("mutation_log") == 0
    assert f"mutation_log_{today:%Y_%m}" not in months()
    # Nobody migrated for long: the rows lie with the rest, and make room when the months are made.
    with store.unit(ann, write=True) as unit:
        unit.log("a" * 16, 2, b"h", None)
        unit.set_last_n("a" * 16, 2)
    assert rows("mutation_log_other") == 1
    migrate(owner, "app", today)
    with store.unit(ann, write=True) as unit:
        assert (unit.last_n("a" * 16), unit.logged("a" * 16, 2)) == (2, None)
        unit.log("a" * 16, 3, b"h", None)
    assert (rows("mutation_log_other"), rows(f"mutation_log_{today:%Y_%m}")) == (0, 1)
    assert store.is_sound()


# -- ready for many machines --


def unready(postgres: Cluster, database: str) -> list[str]:
    """What would keep a table from being spread over machines by its user, or shows rows to others."""
    problems = []
    with_user = postgres.execute(
        "SELECT c.oid::regclass::text, c.relrowsecurity AND c.relforcerowsecurity, "
        "EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid), c.relispartition "
        "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' "
        "WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'py_memory'::regnamespace",
        database,
    )
    for table, forced, policy, partition in with_user:
        if not forced or not (policy or partition):
            problems.append(f"{table} has no forced security")
    keys = postgres.execute(
        "SELECT i.indrelid::regclass::text, i.indexrelid::regclass::text, i.indisprimary, a.attname "
        "FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
        "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] "
        "WHERE c.relnamespace = 'py_memory'::regnamespace",
        database,
    )
    names = {row[0] for row in with_user}
    for table, index, _, first in keys:
        if table in names and first != "user_id" and table.partition(".")[2] not in DIRECTORY:
            problems.append(f"{index} begins with {first}")
    for table in names - {table for table, _, primary, _ in keys if primary}:
        problems.append(f"{table} has no primary key")
    foreign = postgres.execute(
        "SELECT conname, confrelid::regclass::text, conkey FROM pg_constraint WHERE contype = 'f' "
        "AND connamespace = 'py_memory'::regnamespace AND confrelid <> 'py_memory.users'::regclass",
        database,
    )
    problems += [f"{name} refers to {target}" for name, target, _ in foreign]
    generated = postgres.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = 'py_memory'::regnamespace",
        database,
    )
    return [*problems, *(f"{name} counts for all users at once" for (name,) in generated)]


def test_every_table_can_be_spread_by_user(postgres: Cluster, database: str) -> None:
    assert unready(postgres, database) == []


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("CREATE TABLE py_memory.x (user_id uuid, id text, PRIMARY KEY (user_id, id))", "no forced security"),
        ("CREATE UNIQUE INDEX x ON py_memory.memory_rows (id)", "begins with id"),
        ("CREATE TABLE py_memory.x (user_id uuid)", "no primary key"),
        ("ALTER TABLE py_memory.tokens NO FORCE ROW LEVEL SECURITY", "no forced security"),
        ("DROP POLICY own ON py_memory.heads", "no forced security"),
        ("CREATE SEQUENCE py_memory.x", "counts for all users"),
    ],
)
def test_the_lint_of_tables_finds(postgres: Cluster, database: str, planted: str, found: str) -> None:
    postgres.execute(planted, database)
    assert any(found in problem for problem in unready(postgres, database))


MODULES = (postgres_unit, postgres_store)
# Statements without a user: settings, what belongs to no user, and the directory.
WITHOUT_USER = {
    "ACT_AS",
    "EPOCH",
    "SET_EPOCH",
    "EVERY_USER",
    "USERS",
    "ADD_USER",
    "FOR_TOKEN",
    "OWNER_OF_TOKEN",
}


def statements(module: ModuleType) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in vars(module).items():
        if (
            name.isupper()
            and isinstance(value, str)
            and re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE)\s", value)
        ):
            found[name] = value
        if name.isupper() and isinstance(value, dict) and name in ("REMOVE_OF", "READ", "WRITE"):
            found |= {f"{name} {key}": text for key, text in value.items()}
    return found


STATEMENTS = {name: text for module in MODULES for name, text in statements(module).items()}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_only_named_statements_are_run(module: ModuleType) -> None:
    """So that the next test sees all of them."""
    runs = 0
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("execute", "executemany"):
            runs += 1
            text = ast.unparse(node.args[0])
            named = re.findall(r"\b[A-Z_]{3,}\b", text)
            assert text == "statement" or (
                named and set(named) <= {name.partition(" ")[0] for name in STATEMENTS}
            )
    assert runs > 5


@pytest.mark.parametrize("name", sorted(STATEMENTS.keys() - WITHOUT_USER))
def test_every_statement_names_its_user(postgres: Cluster, name: str) -> None:
    """With EXPLAIN, as the serving role: a key that begins with the user is what finds the rows."""
    text = STATEMENTS[name]
    if text.lstrip().startswith("INSERT"):
        assert re.search(r"\((user_id|key, user_id)\b", text), text
        return
    assert re.search(r"\buser_id = %s", text), text
    ann = "01890000-0000-7000-8000-000000000000"
    with postgres.store() as address, psycopg.connect(address) as db:
        postgres_unit.act_as(db, ann)
        db.execute("SET LOCAL enable_seqscan = off")
        db.execute("SET LOCAL enable_bitmapscan = off")
        before = text[: text.index("user_id = %s")].count("%s")
        parameters: list[Any] = [1 if "server_seq" in text or "revoked_at" in text else "x"] * before
        parameters += [ann]
        rest = text[text.index("user_id = %s") + len("user_id = %s") :]
        parameters += [
            ["x"] if part.endswith("ANY(") else 1 if re.search(r"(server_seq >|n =|LIMIT) $", part) else "x"
            for part in rest.split("%s")[:-1]
        ]
        with psycopg.ClientCursor(db) as cursor:
            plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {text}", parameters))
    assert re.search(r"Index Cond: \(+user_id = '", plan), plan


# -- faults --


def test_statements_of_one_user_wait_for_each_other(postgres: Cluster, database: str, store: Store) -> None:
    """Another user's do not."""
    ann, bob = filled(store, "ann"), filled(store, "bob")
    order: list[str] = []

    def later() -> None:
        with store.unit(ann, write=True):
            order.append("second")

    with store.unit(ann, write=True):
        waiting = threading.Thread(target=later)
        waiting.start()
        with store.unit(bob, write=True):
            order.append("other user")
        with store.unit(ann, write=False) as reading:
            assert reading.head().seq == 1
        waiting.join(0.2)
        order.append("first")
    waiting.join()
    assert order == ["other user", "first", "second"]


def test_the_statements_of_the_schema_are_found() -> None:
    assert len(STATEMENTS) > 25
    assert postgres_schema.MIGRATIONS[1][0].count("CREATE POLICY") == 7
