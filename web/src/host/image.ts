/**
 * The boot image: large, and only there to save time, so it is fetched once a start is over and used by the next. It lies
 * beside the other files that the service worker keeps of this version; without one, in the browser's own cache.
 */

const root = new URL("..", self.location.href);
const { path, integrity } = __BUILD__.image;
const address = new URL(path, root).href;
const python = new URL(__BUILD__.python, root).href;

/** Not verified again, which would take as long as it saves: `keepImage` has done so, and the name holds its hash. */
export async function keptImage(): Promise<Response | null> {
  const kept = "caches" in self ? await caches.match(address) : undefined;
  if (kept) return kept;
  if (await siteCache()) return null;
  const response = await fetch(address, { cache: "only-if-cached", mode: "same-origin" }).catch(() => null);
  return response?.ok ? response : null;
}

export async function keepImage(): Promise<void> {
  if (await keptImage()) return;
  const response = await fetch(address, { integrity });
  const cache = await siteCache();
  if (!response.ok) return;
  if (cache) await cache.put(address, response);
  else await response.arrayBuffer();
}

export async function dropImage(): Promise<void> {
  await (await siteCache())?.delete(address);
}

/** The service worker's set of files that holds this version's Python. */
async function siteCache(): Promise<Cache | null> {
  for (const name of "caches" in self ? await caches.keys() : []) {
    const cache = await caches.open(name);
    if (await cache.match(python)) return cache;
  }
  return null;
}
