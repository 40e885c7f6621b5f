-- The sync server's tables. The user comes first in every key, so that one user's rows lie together on any
-- number of machines, and row-level security shows a transaction the rows of the one user it names.

CREATE FUNCTION py_memory.acting_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
    $$ SELECT nullif(current_setting('py_memory.user_id', true), '')::uuid $$; -- after a commit it is ''

-- What belongs to no user.
CREATE TABLE py_memory.server (single boolean PRIMARY KEY DEFAULT true CHECK (single), epoch text NOT NULL);
INSERT INTO py_memory.server (epoch) VALUES ('e' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12));

-- The directory: what is looked up before a user is known.
CREATE TABLE py_memory.users (id uuid PRIMARY KEY, name text NOT NULL UNIQUE, created_at bigint NOT NULL);
CREATE TABLE py_memory.token_owners (
    key text COLLATE "C" PRIMARY KEY, user_id uuid NOT NULL REFERENCES py_memory.users (id));

CREATE TABLE py_memory.tokens (
    user_id uuid NOT NULL REFERENCES py_memory.users (id), key text COLLATE "C" NOT NULL,
    secret_hash bytea NOT NULL, label text NOT NULL, scope text NOT NULL CHECK (scope IN ('sync', 'pull')),
    created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, PRIMARY KEY (user_id, key));
CREATE TABLE py_memory.heads ( -- one row is the lock of its user
    user_id uuid PRIMARY KEY REFERENCES py_memory.users (id), server_seq bigint NOT NULL DEFAULT 0,
    renewed text COLLATE "C" NOT NULL DEFAULT '', -- a user's epoch is the server's and this
    rows bigint NOT NULL DEFAULT 0, bytes bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
CREATE TABLE py_memory.devices (
    user_id uuid NOT NULL, device text COLLATE "C" NOT NULL, last_n bigint NOT NULL,
    PRIMARY KEY (user_id, device)) WITH (fillfactor = 50);
CREATE TABLE py_memory.memory_rows (
    user_id uuid NOT NULL, kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    server_seq bigint NOT NULL, body text COLLATE "C", session_id text COLLATE "C",
    message_id text COLLATE "C", memory_id text COLLATE "C", PRIMARY KEY (user_id, id, kind));
CREATE UNIQUE INDEX memory_rows_by_seq ON py_memory.memory_rows (user_id, server_seq);
CREATE INDEX memory_rows_by_session ON py_memory.memory_rows (user_id, session_id)
    WHERE session_id IS NOT NULL;
CREATE INDEX memory_rows_by_message ON py_memory.memory_rows (user_id, message_id)
    WHERE message_id IS NOT NULL;
CREATE INDEX memory_rows_by_memory ON py_memory.memory_rows (user_id, memory_id) WHERE memory_id IS NOT NULL;

-- Grows only and is dropped by the month. `id` is a UUIDv7, whose order is the order of time.
CREATE TABLE py_memory.mutation_log (
    user_id uuid NOT NULL, id uuid NOT NULL, device text COLLATE "C" NOT NULL, n bigint NOT NULL,
    hash bytea NOT NULL, result text, PRIMARY KEY (user_id, id)) PARTITION BY RANGE (id);
CREATE INDEX mutation_log_by_device ON py_memory.mutation_log (user_id, device, n);
CREATE TABLE py_memory.mutation_log_other PARTITION OF py_memory.mutation_log DEFAULT;

ALTER TABLE py_memory.users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE py_memory.token_owners ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE py_memory.tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE py_memory.heads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE py_memory.devices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE py_memory.memory_rows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE py_memory.mutation_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
-- A partition that is named itself is not under its parent's policy: without one of its own it shows nothing.
ALTER TABLE py_memory.mutation_log_other ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON py_memory.users
    USING (id = py_memory.acting_user() OR current_setting('py_memory.every_user', true) = 'on')
    WITH CHECK (id = py_memory.acting_user());
CREATE POLICY own ON py_memory.token_owners
    USING (user_id = py_memory.acting_user() OR key = current_setting('py_memory.token_key', true))
    WITH CHECK (user_id = py_memory.acting_user());
CREATE POLICY own ON py_memory.tokens
    USING (user_id = py_memory.acting_user()) WITH CHECK (user_id = py_memory.acting_user());
CREATE POLICY own ON py_memory.heads
    USING (user_id = py_memory.acting_user()) WITH CHECK (user_id = py_memory.acting_user());
CREATE POLICY own ON py_memory.devices
    USING (user_id = py_memory.acting_user()) WITH CHECK (user_id = py_memory.acting_user());
CREATE POLICY own ON py_memory.memory_rows
    USING (user_id = py_memory.acting_user()) WITH CHECK (user_id = py_memory.acting_user());
CREATE POLICY own ON py_memory.mutation_log
    USING (user_id = py_memory.acting_user()) WITH CHECK (user_id = py_memory.acting_user());
