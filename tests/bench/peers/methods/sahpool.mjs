// The SQLite project's own build on its pool of OPFS access handles.

import sqlite3InitModule from "/node_modules/@sqlite.org/sqlite-wasm/dist/index.mjs";

export async function openWith(pragmas) {
  const sqlite3 = await sqlite3InitModule({ print: () => undefined, printErr: () => undefined });
  const pool = await sqlite3.installOpfsSAHPoolVfs({ initialCapacity: 6 });
  const db = new pool.OpfsSAHPoolDb("/memory.db");
  const modes = pragmas.map((pragma) => `${pragma.split("=")[0]}=${db.selectValue(`PRAGMA ${pragma}`) ?? pragma.split("=")[1]}`);
  db.exec("PRAGMA foreign_keys = ON");
  const journal = db.selectValue("PRAGMA journal_mode");
  const prepared = new Map();
  const statement = (sql, values) => {
    if (!prepared.has(sql)) prepared.set(sql, db.prepare(sql));
    const query = prepared.get(sql);
    if (values.length) query.bind(values);
    return query;
  };
  return {
    about: `sqlite-wasm ${sqlite3.version.libVersion}, OPFS SAH pool, ${modes.join(", ")} (in force: ${journal})`,
    fts: true,
    run(sql, ...values) {
      if (/^(CREATE|INSERT INTO message_search \(message_search)/.test(sql)) return void db.exec(sql);
      statement(sql, values).stepReset();
    },
    rows(sql, ...values) {
      const query = statement(sql, values);
      const found = [];
      while (query.step()) found.push(query.get({}));
      query.reset();
      return found;
    },
    bytes: () => db.selectValue("PRAGMA page_count") * db.selectValue("PRAGMA page_size"),
  };
}
