// Keeps every file of the plain page.
const PATHS = ["plain.html", "plain.mjs", "py_memory.whl", ...["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm",
  "python_stdlib.zip", "pyodide-lock.json"].map((name) => `pyodide/${name}`)];
const KEPT = new Set(PATHS.map((path) => new URL(path, location.href).href));
self.addEventListener("install", (event) => event.waitUntil(caches.open("plain").then((cache) => cache.addAll([...KEPT]))));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const address = event.request.url.split(/[?#]/)[0];
  if (KEPT.has(address)) event.respondWith(caches.match(address));
});
