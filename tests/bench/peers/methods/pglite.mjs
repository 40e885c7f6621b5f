// PGlite: PostgreSQL on IndexedDB. It has neither FTS5 nor STRICT; each answer waits until its files are synced.

import { PGlite } from "/node_modules/@electric-sql/pglite/dist/index.js";

export async function open() {
  const db = await PGlite.create("idb://memory", { relaxedDurability: false });
  let inside = db;
  const query = async (sql, values) => {
    let n = 0;
    return inside.query(sql.replace(/\?/g, () => `$${(n += 1)}`), values);
  };
  const version = (await db.query("SHOW server_version")).rows[0].server_version;
  return {
    about: `PGlite, PostgreSQL ${version}, idb://, relaxedDurability false`,
    fts: false,
    dialect: (sql) =>
      sql.replaceAll(" STRICT, WITHOUT ROWID", "").replaceAll(" STRICT", "").replaceAll(" INTEGER", " BIGINT"),
    run: (sql, ...values) => query(sql, values),
    rows: async (sql, ...values) => (await query(sql, values)).rows,
    transaction: (work) =>
      db.transaction(async (transaction) => {
        inside = transaction;
        try {
          return await work();
        } finally {
          inside = db;
        }
      }),
    bytes: async () =>
      Number(
        (
          await query(
            "SELECT sum(pg_total_relation_size(c)) AS bytes FROM unnest(ARRAY['users', 'sessions', 'messages', 'message_versions']::regclass[]) AS c",
            [],
          )
        ).rows[0].bytes,
      ),
  };
}
