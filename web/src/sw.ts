/// Service worker: keeps one whole, verified set of the site's files, so that the page works offline and never mixes
/// two versions; and sends the content security policy where a plain static host sends none.

import { allowedOrigins } from "./models/settings";

declare const self: ServiceWorkerGlobalScope;
/** Injected at build: the site's files with their hashes, an id of that set, and the policy. */
declare const __FILES__: ReadonlyArray<readonly [path: string, integrity: string]>;
/** Files that are kept once they have been asked for: what runs a model on this device. */
declare const __EXTRAS__: ReadonlyArray<readonly [path: string, integrity: string]>;
/** The script of the memory's worker, which alone may ask the model servers that the user has connected. */
declare const __WORKER__: string;
declare const __SET__: string;
declare const __POLICY__: Readonly<Record<string, string>>;

const PREFIX = `py-memory-site:${new URL(self.registration.scope).pathname}:`;
const CACHE = PREFIX + __SET__;
const HASHED = /^(assets|pyodide|python)\//; // immutable paths, which the browser's own cache may answer

const absolute = (path: string): string => new URL(path, self.registration.scope).href;
const integrities = new Map([...__FILES__, ...__EXTRAS__].map(([path, integrity]) => [absolute(path), { path, integrity }]));

self.addEventListener("install", (event) => {
  event.waitUntil(precache());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOtherSets().then(() => self.clients.claim()));
});

self.addEventListener("message", (event) => {
  if (event.data === "activate") void self.skipWaiting();
  if (event.data === "policy") event.waitUntil(renewPolicy().then((sources) => event.ports[0]?.postMessage(sources)));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.search = url.hash = "";
  if (url.href === absolute("index.html")) url.href = absolute("./");
  if (integrities.has(url.href)) event.respondWith(answer(url.href));
});

/** Fetches the whole set; one file that is missing or not what was built fails it, and the former set stays in use. */
async function precache(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all(
    __FILES__.map(async ([path]) => {
      await cache.put(absolute(path), await download(absolute(path)));
    }),
  );
  await keepExtras(cache);
}

/** What the former version had of them is wanted of this one too, or an update would end their use offline. */
async function keepExtras(cache: Cache): Promise<void> {
  for (const [path] of __EXTRAS__) {
    const former = await caches.match(absolute(path));
    if (former) await cache.put(absolute(path), former);
  }
}

async function download(href: string): Promise<Response> {
  const { path, integrity } = integrities.get(href)!;
  const response = await fetch(href, {
    cache: HASHED.test(path) ? "default" : "no-cache",
    credentials: "same-origin",
    integrity,
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return path === "./" || /\.m?js$/.test(path) ? withPolicy(response, await connections(path)) : response;
}

/** The same body with the policy header; a fresh response also sheds any redirect, which navigations refuse. */
function withPolicy(response: Response, connections: readonly string[]): Response {
  const headers = new Headers();
  headers.set("Content-Type", response.headers.get("Content-Type") ?? "text/javascript");
  headers.set("Content-Security-Policy", policy(connections));
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  return new Response(response.body, { headers });
}

function policy(connections: readonly string[]): string {
  return Object.entries(__POLICY__)
    .map(([name, sources]) => [name, sources, ...(name === "connect-src" ? connections : [])].join(" "))
    .join("; ");
}

/** What a file may connect to beside its own origin. */
async function connections(path: string): Promise<string[]> {
  return path === __WORKER__ ? allowedOrigins().catch(() => []) : [];
}

/** The settings have changed: the next worker starts under the policy that is written from them now. */
async function renewPolicy(): Promise<string[]> {
  const href = absolute(__WORKER__);
  const cache = await caches.open(CACHE);
  const sources = await connections(__WORKER__);
  const script = (await cache.match(href)) ?? (await download(href));
  await cache.put(href, withPolicy(script, sources));
  return sources;
}

async function answer(href: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(href);
  if (cached) return cached;
  try {
    const response = await download(href); // the browser dropped it: fetched again, verified like the first time
    await cache.put(href, response.clone());
    return response;
  } catch {
    return Response.error();
  }
}

async function dropOtherSets(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
}
