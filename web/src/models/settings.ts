/**
 * Who answers, and the keys of model servers. They lie in an IndexedDB database of their own, beside the memory and
 * never in it: exporting, importing or handing on a memory takes none of this along.
 */

/** `server`: an OpenAI-compatible one. `device`: a file that the user picked. `browser`: the Prompt API. */
export type Choice =
  | { kind: "offline" }
  | { kind: "server"; address: string; model: string }
  | { kind: "device" }
  | { kind: "browser" };

export interface ModelSettings {
  choice: Choice;
  /** What was connected last, to begin with the next time. */
  server?: { address: string; model: string };
  /** The origin that may be asked although it was not chosen yet: a connection is being tried, or a file fetched. */
  trying?: string;
  /** In idle time the model may read what was said, to suggest facts and to write summaries. */
  reads?: boolean;
  /** The file kept for offline use. */
  file?: { name: string; size: number };
}

export const NO_MODEL: ModelSettings = { choice: { kind: "offline" } };

const DATABASE = "py-memory-models";
const SETTINGS = "settings";
const KEYS = "keys";

/** Of the memory named `profile`. A browser that has never chosen a model gets no database for asking. */
export async function readSettings(profile: string): Promise<ModelSettings> {
  const found = await inStore(SETTINGS, "readonly", (store) => store.get(profile) as IDBRequest<ModelSettings | undefined>);
  return found ?? NO_MODEL;
}

export async function writeSettings(profile: string, settings: ModelSettings): Promise<void> {
  await inStore(SETTINGS, "readwrite", (store) => store.put(settings, profile));
}

/** A key belongs to one origin and is sent to no other. */
export async function readKey(profile: string, address: string): Promise<string | null> {
  const found = await inStore(KEYS, "readonly", (store) => store.get([profile, originOf(address)]) as IDBRequest<string | undefined>);
  return found ?? null;
}

/** An empty key is removed. */
export async function writeKey(profile: string, address: string, key: string): Promise<void> {
  const place = [profile, originOf(address)];
  await inStore<unknown>(KEYS, "readwrite", (store) => (key ? store.put(key, place) : store.delete(place)));
}

/** The origins that the user's own choices, of all memories here, allow the worker to ask. */
export async function allowedOrigins(): Promise<string[]> {
  const all = await inStore(SETTINGS, "readonly", (store) => store.getAll() as IDBRequest<ModelSettings[]>);
  const origins = (all ?? []).flatMap(({ choice, trying }) => [
    ...(choice.kind === "server" ? [originOf(choice.address)] : []),
    ...(trying ? [trying, ...(SENDS_ON[trying] ?? [])] : []),
  ]);
  return [...new Set(origins)].sort();
}

/** Where large files of these come from in the end. */
const SENDS_ON: Record<string, readonly string[]> = {
  "https://huggingface.co": ["https://*.hf.co", "https://*.huggingface.co"],
};

/** Throws a TypeError for what is no http(s) address. */
export function originOf(address: string): string {
  const { origin, protocol } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") throw new TypeError(`${protocol} is not an address of a server.`);
  return origin;
}

async function inStore<T>(
  name: string,
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => { readonly result: T },
): Promise<T | undefined> {
  if (!("indexedDB" in globalThis)) return undefined;
  if (mode === "readonly" && !(await exists())) return undefined;
  const db = await open().catch((error: unknown) => {
    if (mode === "readonly" && isNoStorage(error)) return undefined; // where nothing is kept, nothing was chosen
    throw error;
  });
  if (!db) return undefined;
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(name, mode, { durability: "strict" });
      const request = ask(transaction.objectStore(name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new DOMException("Transaction aborted", "AbortError"));
    });
  } finally {
    db.close();
  }
}

async function exists(): Promise<boolean> {
  const list = (indexedDB as Partial<IDBFactory>).databases;
  if (!list) return true;
  return (await list.call(indexedDB)).some(({ name }) => name === DATABASE);
}

/** As in a private window of some browsers. */
function isNoStorage(error: unknown): boolean {
  return error instanceof DOMException && ["SecurityError", "InvalidStateError"].includes(error.name);
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => [SETTINGS, KEYS].forEach((name) => request.result.createObjectStore(name));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The model settings cannot be opened."));
  });
}
