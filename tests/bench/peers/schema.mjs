// The tables that a turn writes to, as in py_memory/migrations, without what a turn leaves alone.

export const TABLES = [
  `CREATE TABLE users (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    title TEXT CHECK (length(title) <= 200),
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'abandoned')),
    metadata_json TEXT NOT NULL DEFAULT '{}',
    last_active_at INTEGER NOT NULL,
    ended_at INTEGER,
    current_message_id TEXT
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX sessions_by_activity ON sessions (user_id, last_active_at DESC, id DESC)`,
  `CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    parent_id TEXT,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    status TEXT NOT NULL DEFAULT 'complete' CHECK (status IN ('complete', 'streaming', 'stopped', 'failed')),
    metadata_json TEXT NOT NULL DEFAULT '{}'
  ) STRICT`,
  `CREATE INDEX messages_by_session ON messages (session_id, created_at, id)`,
  `CREATE TABLE message_versions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    author TEXT NOT NULL CHECK (author IN ('user', 'assistant', 'system', 'tool')),
    content TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX versions_by_message ON message_versions (message_id, created_at, id)`,
];

// No second copy of the text, as there; what is not segmented by a function of SQL is segmented before.
export const INDEX = [
  `CREATE VIRTUAL TABLE message_search USING fts5(terms, marks, content = '', tokenize = 'porter unicode61')`,
  `INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0)`,
];

export async function transaction(method, work) {
  if (method.transaction) return method.transaction(work);
  await method.run("BEGIN IMMEDIATE");
  const value = await work();
  await method.run("COMMIT");
  return value;
}
