// The plain way: Pyodide as published, py_memory from its wheel, one whole image of the database out of IndexedDB.
// With #fill the image is fetched from the server and stored first.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function images(mode) {
  const open = indexedDB.open("plain");
  open.onupgradeneeded = () => open.result.createObjectStore("images");
  return (await result(open)).transaction("images", mode).objectStore("images");
}

if ("serviceWorker" in navigator && location.search === "?sw") {
  await navigator.serviceWorker.register("plain-sw.js");
  await navigator.serviceWorker.ready;
}
if (location.hash === "#fill") {
  const bytes = new Uint8Array(await (await fetch("memory.db")).arrayBuffer());
  await result((await images("readwrite")).put(bytes, "image"));
}
const stored = images("readonly").then((store) => result(store.get("image")));
const wheel = fetch("py_memory.whl").then((response) => response.arrayBuffer());
const pyodide = await loadPyodide();
pyodide.unpackArchive(await wheel, "wheel");
pyodide.FS.writeFile("/memory.db", await stored);
const answer = pyodide.runPython(`
from py_memory import MemoryStore
store = MemoryStore("/memory.db")
len(store.search("第7条"))
`);
globalThis.found = { ms: performance.now(), answer };
