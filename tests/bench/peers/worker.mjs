// One peer in a worker of its own: fills its database up to a size and adds messages, each durable before the answer.
//
// A method (see methods/) opens the database and offers: about, fts, run(sql, ...values), rows(sql, ...values),
// bytes(), and, where COMMIT alone does not make it durable, durable().

import { MARKS, content, random, searchTerms, uuid7 } from "./talk.mjs";
import { INDEX, TABLES, transaction } from "./schema.mjs";

const USER = "user-1";
const PER_COMMIT = 1000;

let method;
let session;
let seq = 0;
let previous = null;

const asks = {
  async open(name) {
    const { open } = await import(`./methods/${name}.mjs`);
    method = await open();
    for (const sql of [...TABLES, ...(method.fts ? INDEX : [])]) await method.run(method.dialect?.(sql) ?? sql);
    session = uuid7();
    const now = Date.now();
    await transaction(method, async () => {
      await method.run("INSERT INTO users VALUES (?, ?)", USER, now);
      await method.run(
        "INSERT INTO sessions (id, user_id, created_at, title, last_active_at) VALUES (?, ?, ?, ?, ?)",
        session, USER, now, "filled", now,
      );
    });
    await method.durable?.();
    return { about: method.about, fts: method.fts };
  },

  async fill(target) {
    for (let bytes = await method.bytes(); bytes < target; bytes = await method.bytes()) {
      const count = Math.min(PER_COMMIT, Math.max(10, Math.round((target - bytes) / 2500)));
      await transaction(method, async () => {
        for (let i = 0; i < count; i++) await insert(i % 2 ? "assistant" : "user", content(random, i % 2 ? 90 : 30));
      });
    }
    await method.durable?.();
    return method.bytes();
  },

  async add([role, text]) {
    const id = await transaction(method, () => insert(role, text));
    await method.durable?.();
    return id;
  },

  /** What a test of the benchmark asks: is it all there? */
  async counts() {
    const of = async (sql) => Number(Object.values((await method.rows(sql))[0])[0]);
    return {
      messages: await of("SELECT count(*) FROM messages"),
      versions: await of("SELECT count(*) FROM message_versions"),
      found: method.fts ? await of(`SELECT count(*) FROM message_search WHERE message_search MATCH 'user'`) : null,
    };
  },
};

async function insert(role, text) {
  const now = Date.now();
  const id = uuid7(now);
  seq += 1;
  const [found] = await method.rows("SELECT id, current_message_id FROM sessions WHERE id = ? AND user_id = ?", session, USER);
  if (!found) throw new Error("the session is gone");
  await method.run(
    "INSERT INTO messages (seq, id, user_id, created_at, session_id, parent_id, role) VALUES (?, ?, ?, ?, ?, ?, ?)",
    seq, id, USER, now, session, previous, role,
  );
  await method.run(
    "INSERT INTO message_versions (seq, id, user_id, created_at, message_id, author, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
    seq, uuid7(now), USER, now, id, role, text,
  );
  if (method.fts) {
    await method.run("INSERT INTO message_search (rowid, terms, marks) VALUES (?, ?, ?)", seq, searchTerms(text), MARKS);
  }
  await method.run(
    "UPDATE sessions SET last_active_at = ?, current_message_id = ? WHERE id = ? AND user_id = ?", now, id, session, USER,
  );
  previous = id;
  return id;
}

self.onmessage = async ({ data: { ask, value } }) => {
  try {
    self.postMessage({ value: await asks[ask](value) });
  } catch (error) {
    self.postMessage({ error: String(error?.stack ?? error) });
  }
};
self.postMessage({ value: "loaded" });
