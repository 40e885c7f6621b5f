// wa-sqlite in the copy that its users at PowerSync publish: the one on npm under its own name is older.

import * as SQLite from "/node_modules/@journeyapps/wa-sqlite/src/sqlite-api.js";

export async function openWith(factory, createVfs, pragmas, name) {
  const module = await factory();
  const sqlite3 = SQLite.Factory(module);
  sqlite3.vfs_register(await createVfs(module), true);
  const db = await sqlite3.open_v2("memory.db");
  const first = async (sql) => {
    let value;
    await sqlite3.exec(db, sql, (row) => (value ??= row[0]));
    return value;
  };
  for (const pragma of [...pragmas, "foreign_keys=on"]) await sqlite3.exec(db, `PRAGMA ${pragma}`);
  const prepared = new Map();
  async function statement(sql, values) {
    if (!prepared.has(sql)) {
      for await (const made of sqlite3.statements(db, sql, { unscoped: true })) {
        prepared.set(sql, made);
        break;
      }
    }
    const query = prepared.get(sql);
    if (values.length) sqlite3.bind_collection(query, values);
    return query;
  }
  return {
    about: `wa-sqlite (SQLite ${sqlite3.libversion()}) ${name}, ${pragmas.join(", ")}`,
    fts: true,
    async run(sql, ...values) {
      if (/^(CREATE|INSERT INTO message_search \(message_search)/.test(sql)) return void (await sqlite3.exec(db, sql));
      const query = await statement(sql, values);
      await sqlite3.step(query);
      await sqlite3.reset(query);
    },
    async rows(sql, ...values) {
      const query = await statement(sql, values);
      const names = sqlite3.column_names(query);
      const found = [];
      while ((await sqlite3.step(query)) === SQLite.SQLITE_ROW) {
        found.push(Object.fromEntries(names.map((column, i) => [column, sqlite3.column(query, i)])));
      }
      await sqlite3.reset(query);
      return found;
    },
    bytes: async () => (await first("PRAGMA page_count")) * (await first("PRAGMA page_size")),
  };
}
