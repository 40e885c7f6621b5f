/**
 * The boot image, kept beside the other files of this version once the first start is over: large, and only there to
 * save time. Where the service worker keeps no files, there is none.
 */

const root = new URL("..", self.location.href);
const { path, integrity } = __BUILD__.image;
const address = new URL(path, root).href;

export async function keptImage(): Promise<Response | undefined> {
  return "caches" in self ? caches.match(address) : undefined;
}

/** Fetches the image into the set of files that holds this version's Python. Does nothing where there is none. */
export async function keepImage(): Promise<void> {
  if (!("caches" in self) || (await caches.match(address))) return;
  const python = new URL(__BUILD__.python, root).href;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    if (!(await cache.match(python))) continue;
    const response = await fetch(address, { integrity });
    if (response.ok) await cache.put(address, response);
  }
}

export async function dropImage(): Promise<void> {
  for (const name of await caches.keys()) await (await caches.open(name)).delete(address);
}
