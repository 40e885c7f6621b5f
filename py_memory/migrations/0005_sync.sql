-- What the sync client needs, made anew: no release has filled these tables. They are left out of exported files.
DROP TABLE sync_state;
DROP TABLE sync_outbox;
DROP TABLE sync_base;
DROP TABLE sync_deferred;
DROP TABLE sync_rejected;

-- One row per owner once syncing is switched on. `capturing` is 0 while rows of the server are written.
CREATE TABLE sync_state (
    user_id TEXT PRIMARY KEY,
    device TEXT NOT NULL CHECK (length(device) = 16),
    capturing INTEGER NOT NULL DEFAULT 1 CHECK (capturing IN (0, 1)),
    url TEXT NOT NULL,
    epoch TEXT,
    cursor INTEGER NOT NULL DEFAULT 0,
    hlc TEXT,
    next_n INTEGER NOT NULL DEFAULT 1,
    acked_n INTEGER NOT NULL DEFAULT 0,
    offset_ms INTEGER NOT NULL DEFAULT 0,
    pass INTEGER NOT NULL DEFAULT 1,
    resyncing INTEGER NOT NULL DEFAULT 0 CHECK (resyncing IN (0, 1)),
    unsettled INTEGER NOT NULL DEFAULT 0 CHECK (unsettled IN (0, 1)),
    synced_at INTEGER,
    backup TEXT
) STRICT, WITHOUT ROWID;

-- What has changed since it was last put into the outbox; `part` is a group, or '' for the whole row. `at_ms` is
-- the device's own time, noted at the end of the transaction that made the change.
CREATE TABLE sync_changes (
    change INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    part TEXT NOT NULL,
    at_ms INTEGER,
    UNIQUE (user_id, kind, id, part)
) STRICT;
CREATE INDEX sync_changes_without_time ON sync_changes (change) WHERE at_ms IS NULL;

-- The page of mutations that is on its way, kept until each is acknowledged.
CREATE TABLE sync_outbox (
    user_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
    PRIMARY KEY (user_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_outbox_by_row ON sync_outbox (user_id, kind, id);

-- The server's stamp of each group that the local row stands on. `pass`: the last full pull it was seen in.
CREATE TABLE sync_base (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    stamps_json TEXT NOT NULL CHECK (json_valid(stamps_json)),
    pass INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;

-- Rows that cannot be taken yet: what they belong to is still to come, or this program does not know their kind.
CREATE TABLE sync_deferred (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    server_seq INTEGER NOT NULL,
    payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
    reason TEXT NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;

-- Changes the server would not take, for the user to see.
CREATE TABLE sync_rejected (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    payload_json TEXT NOT NULL CHECK (json_valid(payload_json)),
    code TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;

-- Changes that lost against another device's, until somebody has looked at them.
CREATE TABLE sync_conflicts (
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    row_id TEXT NOT NULL,
    part TEXT NOT NULL,
    stamp TEXT NOT NULL,
    values_json TEXT NOT NULL CHECK (json_valid(values_json)),
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_conflicts_by_row ON sync_conflicts (user_id, kind, row_id);

-- Capture. Triggers, so that a change is noted in its own transaction whoever makes it: undo, import and a
-- developer's own SQL write rows as well. Each costs one look into an empty table until syncing is switched on.
CREATE TRIGGER namespaces_made AFTER INSERT ON namespaces
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'namespaces' AND id = NEW.prefix AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'namespaces', NEW.prefix, '');
END;
CREATE TRIGGER namespaces_state_changed AFTER UPDATE OF single_valued, ttl_ms ON namespaces
WHEN (NEW.single_valued IS NOT OLD.single_valued OR NEW.ttl_ms IS NOT OLD.ttl_ms)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'namespaces' AND id = NEW.prefix AND part = 'state';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'namespaces', NEW.prefix, 'state');
END;
CREATE TRIGGER sessions_made AFTER INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'sessions' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'sessions', NEW.id, '');
END;
CREATE TRIGGER sessions_meta_changed AFTER UPDATE OF title, metadata_json ON sessions
WHEN (NEW.title IS NOT OLD.title OR NEW.metadata_json IS NOT OLD.metadata_json)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'sessions' AND id = NEW.id AND part = 'meta';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'sessions', NEW.id, 'meta');
END;
CREATE TRIGGER sessions_activity_changed AFTER UPDATE OF status, last_active_at, ended_at, current_message_id ON sessions
WHEN (NEW.status IS NOT OLD.status OR NEW.last_active_at IS NOT OLD.last_active_at OR NEW.ended_at IS NOT OLD.ended_at OR NEW.current_message_id IS NOT OLD.current_message_id)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'sessions' AND id = NEW.id AND part = 'activity';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'sessions', NEW.id, 'activity');
END;
CREATE TRIGGER sessions_gone AFTER DELETE ON sessions
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = OLD.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = OLD.user_id AND kind = 'sessions' AND id = OLD.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (OLD.user_id, 'sessions', OLD.id, '');
END;
CREATE TRIGGER messages_made AFTER INSERT ON messages
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'messages' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'messages', NEW.id, '');
END;
CREATE TRIGGER messages_state_changed AFTER UPDATE OF status, parent_id, has_secret ON messages
WHEN (NEW.status IS NOT OLD.status OR NEW.parent_id IS NOT OLD.parent_id OR NEW.has_secret IS NOT OLD.has_secret)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'messages' AND id = NEW.id AND part = 'state';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'messages', NEW.id, 'state');
END;
CREATE TRIGGER messages_tags_changed AFTER UPDATE OF intent, feedback ON messages
WHEN (NEW.intent IS NOT OLD.intent OR NEW.feedback IS NOT OLD.feedback)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'messages' AND id = NEW.id AND part = 'tags';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'messages', NEW.id, 'tags');
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = OLD.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = OLD.user_id AND kind = 'messages' AND id = OLD.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (OLD.user_id, 'messages', OLD.id, '');
END;
CREATE TRIGGER message_versions_made AFTER INSERT ON message_versions
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'message_versions' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'message_versions', NEW.id, '');
END;
CREATE TRIGGER message_versions_filled AFTER UPDATE OF content ON message_versions
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'message_versions' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'message_versions', NEW.id, '');
END;
CREATE TRIGGER tool_calls_made AFTER INSERT ON tool_calls
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'tool_calls' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'tool_calls', NEW.id, '');
END;
CREATE TRIGGER tool_calls_state_changed AFTER UPDATE OF status, output_json, started_at, completed_at, error_message, validation_json ON tool_calls
WHEN (NEW.status IS NOT OLD.status OR NEW.output_json IS NOT OLD.output_json OR NEW.started_at IS NOT OLD.started_at OR NEW.completed_at IS NOT OLD.completed_at OR NEW.error_message IS NOT OLD.error_message OR NEW.validation_json IS NOT OLD.validation_json)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'tool_calls' AND id = NEW.id AND part = 'state';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'tool_calls', NEW.id, 'state');
END;
CREATE TRIGGER tool_calls_gone AFTER DELETE ON tool_calls
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = OLD.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = OLD.user_id AND kind = 'tool_calls' AND id = OLD.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (OLD.user_id, 'tool_calls', OLD.id, '');
END;
CREATE TRIGGER facts_made AFTER INSERT ON facts
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'facts' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'facts', NEW.id, '');
END;
CREATE TRIGGER facts_state_changed AFTER UPDATE OF value, category, source_message_id, source_version_id, quote, confidence, status, superseded_by, superseded_at, valid_from, valid_to, expires_at ON facts
WHEN (NEW.value IS NOT OLD.value OR NEW.category IS NOT OLD.category OR NEW.source_message_id IS NOT OLD.source_message_id OR NEW.source_version_id IS NOT OLD.source_version_id OR NEW.quote IS NOT OLD.quote OR NEW.confidence IS NOT OLD.confidence OR NEW.status IS NOT OLD.status OR NEW.superseded_by IS NOT OLD.superseded_by OR NEW.superseded_at IS NOT OLD.superseded_at OR NEW.valid_from IS NOT OLD.valid_from OR NEW.valid_to IS NOT OLD.valid_to OR NEW.expires_at IS NOT OLD.expires_at)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'facts' AND id = NEW.id AND part = 'state';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'facts', NEW.id, 'state');
END;
CREATE TRIGGER facts_flags_changed AFTER UPDATE OF pinned, needs_review ON facts
WHEN (NEW.pinned IS NOT OLD.pinned OR NEW.needs_review IS NOT OLD.needs_review)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'facts' AND id = NEW.id AND part = 'flags';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'facts', NEW.id, 'flags');
END;
CREATE TRIGGER facts_gone AFTER DELETE ON facts
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = OLD.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = OLD.user_id AND kind = 'facts' AND id = OLD.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (OLD.user_id, 'facts', OLD.id, '');
END;
CREATE TRIGGER uses_made AFTER INSERT ON uses
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'uses' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'uses', NEW.id, '');
END;
CREATE TRIGGER identities_made AFTER INSERT ON identities
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'identities' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'identities', NEW.id, '');
END;
CREATE TRIGGER identities_gone AFTER DELETE ON identities
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = OLD.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = OLD.user_id AND kind = 'identities' AND id = OLD.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (OLD.user_id, 'identities', OLD.id, '');
END;
CREATE TRIGGER experiences_made AFTER INSERT ON experiences
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'experiences' AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'experiences', NEW.id, '');
END;
CREATE TRIGGER experiences_state_changed AFTER UPDATE OF status, success_count, failure_count ON experiences
WHEN (NEW.status IS NOT OLD.status OR NEW.success_count IS NOT OLD.success_count OR NEW.failure_count IS NOT OLD.failure_count)
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = 'experiences' AND id = NEW.id AND part = 'state';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, 'experiences', NEW.id, 'state');
END;
CREATE TRIGGER experiences_gone AFTER DELETE ON experiences
WHEN EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = OLD.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = OLD.user_id AND kind = 'experiences' AND id = OLD.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (OLD.user_id, 'experiences', OLD.id, '');
END;
CREATE TRIGGER part_of_session_forgotten AFTER INSERT ON tombstones
WHEN NEW.kind IN ('session_titles', 'session_metadata')
    AND EXISTS (SELECT 1 FROM sync_state s WHERE s.user_id = NEW.user_id AND s.capturing = 1)
BEGIN
    DELETE FROM sync_changes WHERE user_id = NEW.user_id AND kind = NEW.kind AND id = NEW.id AND part = '';
    INSERT INTO sync_changes (user_id, kind, id, part) VALUES (NEW.user_id, NEW.kind, NEW.id, '');
END;
