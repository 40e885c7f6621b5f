// sql.js: the database in memory, exported as one image and put into IndexedDB after each commit.

export async function open() {
  const source = await (await fetch("/node_modules/sql.js/dist/sql-wasm.js")).text();
  const initSqlJs = new Function(`${source}; return initSqlJs`)(); // it is no module
  const SQL = await initSqlJs({ locateFile: (file) => `/node_modules/sql.js/dist/${file}` });
  const db = new SQL.Database();
  db.run("PRAGMA foreign_keys = ON");
  const prepared = new Map();
  const statement = (sql) => {
    if (!prepared.has(sql)) prepared.set(sql, db.prepare(sql));
    return prepared.get(sql);
  };
  const store = await new Promise((resolve, reject) => {
    const request = indexedDB.open("image", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("image");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const rows = (sql, ...values) => {
    const query = statement(sql);
    query.bind(values);
    const found = [];
    while (query.step()) found.push(query.getAsObject());
    query.reset();
    return found;
  };
  return {
    about: `sql.js, SQLite ${rows("SELECT sqlite_version() AS v")[0].v}, export() and one strict put`,
    fts: false,
    rows,
    run: (sql, ...values) => statement(sql).run(values),
    bytes: () => rows("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")[0].bytes,
    async durable() {
      const image = db.export(); // a copy; it also closes the database and opens it again
      prepared.clear();
      db.run("PRAGMA foreign_keys = ON");
      const transaction = store.transaction("image", "readwrite", { durability: "strict" });
      transaction.objectStore("image").put(image, "image");
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    },
  };
}
