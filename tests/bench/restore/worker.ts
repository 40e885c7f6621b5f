/** A worker like the page's, which boots Python first and then restores one stored memory in one of several ways. */

import { BlockFolder, type EmscriptenFS } from "../../../web/src/host/blockfile";
import { type PyHost, loadPython } from "../../../web/src/host/boot";
import { Connection } from "../../../web/src/host/idb";
import { load } from "../../../web/src/host/restore";

type Method = "py_memory" | "buffer deserialized" | "blob deserialized" | "buffer opened as a file";

interface Python {
  FS: EmscriptenFS & { writeFile(path: string, data: Uint8Array, options: object): void };
  pyimport(name: string): { start(path: string, bridge: object): PyHost };
  runPython(code: string): (data: ArrayBuffer) => number;
}

const DESERIALIZE = `
import sqlite3

def restore(data):
    restore.connection = connection = sqlite3.connect(":memory:")
    connection.deserialize(data.to_bytes())
    return connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
restore`;

async function image(key: string): Promise<ArrayBuffer> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const open = indexedDB.open("bench-image");
    open.onsuccess = () => resolve(open.result);
    open.onerror = () => reject(open.error);
  });
  const stored = await new Promise<ArrayBuffer | Blob>((resolve, reject) => {
    const get = db.transaction("image").objectStore("image").get(key);
    get.onsuccess = () => resolve(get.result);
    get.onerror = () => reject(get.error);
  });
  return stored instanceof Blob ? stored.arrayBuffer() : stored;
}

async function run(method: Method): Promise<object> {
  const python = (await loadPython()) as unknown as Python;
  const module = python.pyimport("py_memory.browser");
  const bridge = { durable: () => Promise.resolve(true), chat: () => undefined };
  const deserialize = python.runPython(DESERIALIZE);
  const folder = new BlockFolder(python.FS, "/memory");
  let host: PyHost | undefined;
  const began = performance.now();
  let read = began;
  if (method === "py_memory") {
    const { candidates } = await load(new Connection("py-memory"));
    read = performance.now();
    host = module.start(folder.add("memory.db", candidates[0]!.file), bridge);
  } else {
    const bytes = await image(method.startsWith("blob") ? "blob" : "buffer");
    read = performance.now();
    if (method === "buffer opened as a file") {
      python.FS.writeFile("/image.db", new Uint8Array(bytes), { canOwn: true });
      host = module.start("/image.db", bridge);
    } else {
      deserialize(bytes);
    }
  }
  const ready = performance.now();
  const stats = host && (JSON.parse(String(host.dispatch("stats", "{}", "id"))) as object);
  return { read: read - began, open: ready - read, ready: ready - began, stats };
}

self.onmessage = ({ data }: MessageEvent<Method>) => {
  run(data).then(
    (value) => self.postMessage({ value }),
    (error: unknown) => self.postMessage({ error: String((error as Error).stack ?? error) }),
  );
};
