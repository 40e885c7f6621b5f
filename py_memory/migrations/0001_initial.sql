-- Every time is integer milliseconds UTC. Every id is a UUIDv7 text made by the client.
-- `seq` is the local integer that full-text rows point at and the last tie-break of order; it never leaves the device.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value_json TEXT NOT NULL CHECK (json_valid(value_json)),
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    title TEXT CHECK (length(title) <= 200),
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'abandoned')),
    metadata_json TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata_json)),
    last_active_at INTEGER NOT NULL,
    ended_at INTEGER,
    current_message_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_activity ON sessions (user_id, last_active_at DESC, id DESC);

CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    parent_id TEXT,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    speaker TEXT,
    tool_call_id TEXT,
    status TEXT NOT NULL DEFAULT 'complete' CHECK (status IN ('complete', 'streaming', 'stopped', 'failed')),
    intent TEXT,
    feedback INTEGER NOT NULL DEFAULT 0 CHECK (feedback IN (-1, 0, 1)),
    has_secret INTEGER NOT NULL DEFAULT 0 CHECK (has_secret IN (0, 1)),
    metadata_json TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata_json)),
    import_source TEXT,
    import_id TEXT,
    import_json TEXT CHECK (import_json IS NULL OR json_valid(import_json))
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, created_at, id);
CREATE UNIQUE INDEX one_system_message_per_session ON messages (session_id) WHERE role = 'system';

CREATE TABLE message_versions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    author TEXT NOT NULL CHECK (author IN ('user', 'assistant', 'system', 'tool')),
    content TEXT NOT NULL
) STRICT;
CREATE INDEX versions_by_message ON message_versions (message_id, created_at, id);

CREATE TABLE tool_calls (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    message_id TEXT REFERENCES messages (id) ON DELETE CASCADE,
    tool_name TEXT NOT NULL,
    input_json TEXT NOT NULL CHECK (json_valid(input_json)),
    output_json TEXT CHECK (output_json IS NULL OR json_valid(output_json)),
    status TEXT NOT NULL DEFAULT 'proposed' CHECK (status IN (
        'proposed', 'approved', 'running', 'success', 'failed', 'timeout', 'cancelled', 'unknown')),
    started_at INTEGER,
    completed_at INTEGER,
    error_message TEXT,
    validation_json TEXT CHECK (validation_json IS NULL OR json_valid(validation_json))
) STRICT;
CREATE INDEX tool_calls_by_session ON tool_calls (session_id, created_at, id);
CREATE INDEX tool_calls_by_message ON tool_calls (message_id);

CREATE TABLE namespaces (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    prefix TEXT NOT NULL CHECK (prefix <> '' AND prefix NOT GLOB '*[*?[]*'),
    single_valued INTEGER NOT NULL DEFAULT 1 CHECK (single_valued IN (0, 1)),
    ttl_ms INTEGER CHECK (ttl_ms > 0),
    UNIQUE (user_id, prefix)
) STRICT;

CREATE TABLE facts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    agent_id TEXT,
    key TEXT NOT NULL CHECK (length(key) <= 200),
    value TEXT NOT NULL CHECK (length(value) BETWEEN 1 AND 100),
    category TEXT CHECK (category IN (
        'preference', 'identity', 'relation', 'decision', 'task', 'project', 'contact', 'event')),
    source_message_id TEXT,
    source_version_id TEXT,
    quote TEXT,
    spoken_words TEXT,
    zone TEXT,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0.0 AND 1.0),
    status TEXT NOT NULL CHECK (status IN (
        'candidate', 'current', 'superseded', 'disputed', 'expired', 'archived')),
    superseded_by TEXT,
    superseded_at INTEGER,
    valid_from INTEGER,
    valid_to INTEGER,
    expires_at INTEGER,
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    needs_review INTEGER NOT NULL DEFAULT 0 CHECK (needs_review IN (0, 1)),
    visibility TEXT NOT NULL DEFAULT 'synced' CHECK (visibility IN ('session', 'device', 'synced', 'shared')),
    imported_from TEXT,
    weight REAL NOT NULL DEFAULT 1.0 CHECK (weight >= 0.0),
    quality REAL CHECK (quality BETWEEN 0.0 AND 1.0),
    use_count INTEGER NOT NULL DEFAULT 0 CHECK (use_count >= 0),
    last_used_at INTEGER,
    correction_count INTEGER NOT NULL DEFAULT 0 CHECK (correction_count >= 0)
) STRICT;
CREATE INDEX facts_by_key ON facts (user_id, key, status);
CREATE INDEX facts_by_status ON facts (user_id, status, pinned DESC, use_count DESC, id DESC);
CREATE INDEX facts_by_source ON facts (source_message_id) WHERE source_message_id IS NOT NULL;

-- A prefix is a namespace (`user::`) or one whole key (`user::likes`). The longest that fits decides whether a key
-- holds one value; a key under no prefix is refused.
-- A fact that another agent keeps to itself does not count against this one: see the scope in the last trigger.
CREATE TRIGGER fact_key_registered_on_insert BEFORE INSERT ON facts
WHEN NOT EXISTS (
    SELECT 1 FROM namespaces n WHERE n.user_id = NEW.user_id AND (NEW.key = n.prefix OR n.prefix GLOB '*::' AND NEW.key GLOB n.prefix || '?*'))
BEGIN
    SELECT RAISE(ABORT, 'unregistered fact key');
END;
CREATE TRIGGER fact_key_registered_on_update BEFORE UPDATE OF key, user_id ON facts
WHEN NOT EXISTS (
    SELECT 1 FROM namespaces n WHERE n.user_id = NEW.user_id AND (NEW.key = n.prefix OR n.prefix GLOB '*::' AND NEW.key GLOB n.prefix || '?*'))
BEGIN
    SELECT RAISE(ABORT, 'unregistered fact key');
END;
CREATE TRIGGER one_current_fact_on_insert BEFORE INSERT ON facts
WHEN NEW.status = 'current' AND (
    SELECT n.single_valued FROM namespaces n
    WHERE n.user_id = NEW.user_id AND (NEW.key = n.prefix OR n.prefix GLOB '*::' AND NEW.key GLOB n.prefix || '?*')
    ORDER BY length(n.prefix) DESC LIMIT 1) = 1
BEGIN
    SELECT RAISE(ABORT, 'second current fact for a single-valued key')
    FROM facts f
    WHERE f.user_id = NEW.user_id AND f.key = NEW.key AND f.status = 'current' AND f.id <> NEW.id
        AND iif(f.visibility = 'shared', '', ifnull(f.agent_id, ''))
            = iif(NEW.visibility = 'shared', '', ifnull(NEW.agent_id, ''));
END;
CREATE TRIGGER one_current_fact_on_update BEFORE UPDATE OF key, user_id, status, agent_id, visibility ON facts
WHEN NEW.status = 'current' AND (
    SELECT n.single_valued FROM namespaces n
    WHERE n.user_id = NEW.user_id AND (NEW.key = n.prefix OR n.prefix GLOB '*::' AND NEW.key GLOB n.prefix || '?*')
    ORDER BY length(n.prefix) DESC LIMIT 1) = 1
BEGIN
    SELECT RAISE(ABORT, 'second current fact for a single-valued key')
    FROM facts f
    WHERE f.user_id = NEW.user_id AND f.key = NEW.key AND f.status = 'current' AND f.id <> NEW.id
        AND iif(f.visibility = 'shared', '', ifnull(f.agent_id, ''))
            = iif(NEW.visibility = 'shared', '', ifnull(NEW.agent_id, ''));
END;

CREATE VIEW user_profile AS
SELECT f.user_id, f.key, f.value, f.category, f.confidence, f.id AS fact_id, f.created_at
FROM facts f
WHERE f.status = 'current' AND f.key GLOB 'user::*';

-- Which phone and which email belong to one person. A contact seen with a different partner is refused.
CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    phone TEXT,
    email TEXT,
    CHECK (phone IS NOT NULL OR email IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_phone ON identities (user_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX identities_by_email ON identities (user_id, email) WHERE email IS NOT NULL;
CREATE TRIGGER identity_consistent_on_insert BEFORE INSERT ON identities
WHEN NEW.phone IS NOT NULL AND NEW.email IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'contact belongs to another identity')
    FROM identities i
    WHERE i.user_id = NEW.user_id AND i.id <> NEW.id AND i.phone = NEW.phone AND i.email <> NEW.email;
    SELECT RAISE(ABORT, 'contact belongs to another identity')
    FROM identities i
    WHERE i.user_id = NEW.user_id AND i.id <> NEW.id AND i.email = NEW.email AND i.phone <> NEW.phone;
END;
CREATE TRIGGER identity_consistent_on_update BEFORE UPDATE ON identities
WHEN NEW.phone IS NOT NULL AND NEW.email IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'contact belongs to another identity')
    FROM identities i
    WHERE i.user_id = NEW.user_id AND i.id <> NEW.id AND i.phone = NEW.phone AND i.email <> NEW.email;
    SELECT RAISE(ABORT, 'contact belongs to another identity')
    FROM identities i
    WHERE i.user_id = NEW.user_id AND i.id <> NEW.id AND i.email = NEW.email AND i.phone <> NEW.phone;
END;

CREATE TABLE uses (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    memory_kind TEXT NOT NULL CHECK (memory_kind IN (
        'messages', 'facts', 'summaries', 'tool_calls', 'experiences')),
    memory_id TEXT NOT NULL,
    rank INTEGER NOT NULL,
    reason_json TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(reason_json))
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_by_message ON uses (message_id, rank);
CREATE INDEX uses_by_memory ON uses (memory_id);

CREATE TABLE summaries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    level INTEGER NOT NULL CHECK (level >= 1),
    topic TEXT,
    content TEXT NOT NULL,
    conclusions_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(conclusions_json)),
    open_items_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(open_items_json)),
    first_message_id TEXT,
    last_message_id TEXT,
    message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    compressed_into TEXT
) STRICT;
CREATE INDEX summaries_by_session ON summaries (session_id, level, created_at);

CREATE TABLE snapshots (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    format INTEGER NOT NULL,
    state_json TEXT NOT NULL CHECK (json_valid(state_json)),
    reason TEXT NOT NULL
) STRICT;
CREATE INDEX snapshots_by_session ON snapshots (session_id, created_at, id);

CREATE TABLE experiences (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    topic TEXT NOT NULL,
    content TEXT NOT NULL,
    success_count INTEGER NOT NULL DEFAULT 0 CHECK (success_count >= 0),
    failure_count INTEGER NOT NULL DEFAULT 0 CHECK (failure_count >= 0)
) STRICT;
CREATE INDEX experiences_by_topic ON experiences (user_id, topic);

CREATE TABLE embeddings (
    memory_kind TEXT NOT NULL CHECK (memory_kind IN (
        'messages', 'facts', 'summaries', 'tool_calls', 'experiences')),
    memory_id TEXT NOT NULL,
    model TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    dims INTEGER NOT NULL CHECK (dims > 0),
    text_hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (user_id, model, memory_kind, memory_id)
) STRICT;

-- What must not be proposed again: a fingerprint under a key of its own, no text.
CREATE TABLE rejections (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    UNIQUE (user_id, fingerprint)
) STRICT;

-- What was forgotten: the id alone, so that an older copy of the memory cannot bring it back.
CREATE TABLE tombstones (
    user_id TEXT NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;

-- Append-only. `content_hash` covers the content and a salt kept apart: dropping the salt makes the hash
-- unguessable while the chain over the hashes still verifies.
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    device TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    chain_hash TEXT NOT NULL
) STRICT;
CREATE TABLE event_salts (
    event_seq INTEGER PRIMARY KEY,
    subject_id TEXT NOT NULL,
    salt BLOB NOT NULL
) STRICT;
CREATE INDEX event_salts_by_subject ON event_salts (subject_id);

-- What the sync client needs to remember; left out of every exported file.
CREATE TABLE sync_state (
    user_id TEXT PRIMARY KEY,
    device TEXT NOT NULL,
    install TEXT NOT NULL,
    epoch TEXT,
    cursor TEXT,
    hlc TEXT,
    last_n_acked INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE sync_outbox (
    n INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
    tries INTEGER NOT NULL DEFAULT 0,
    last_error TEXT
) STRICT;
CREATE TABLE sync_base (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    "group" TEXT NOT NULL,
    value_json TEXT NOT NULL CHECK (json_valid(value_json)),
    stamp TEXT NOT NULL,
    PRIMARY KEY (user_id, kind, id, "group")
) STRICT, WITHOUT ROWID;
CREATE TABLE sync_deferred (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    server_seq INTEGER NOT NULL,
    payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE sync_rejected (
    n INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
    code TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Full text over the newest version of each message that has been said to its end. `search_terms` is the registered
-- Python function that segments text (py_memory.text); as the content is a view, the index stores no second copy of
-- it and can check and rebuild itself.
CREATE VIEW message_search_content AS
SELECT m.seq AS seq, search_terms(v.content) AS terms, search_marks(m.speaker, m.created_at) AS marks
FROM messages m
JOIN message_versions v ON v.id = (
    SELECT w.id FROM message_versions w WHERE w.message_id = m.id
    ORDER BY w.created_at DESC, w.id DESC LIMIT 1)
WHERE m.role IN ('user', 'assistant') AND m.status IN ('complete', 'stopped');
CREATE VIRTUAL TABLE message_search USING fts5(
    terms, marks, content = 'message_search_content', content_rowid = 'seq', tokenize = 'porter unicode61');
-- Segments are merged in idle time, never in the middle of a turn.
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0);
