/**
 * Who answers, and the keys of model servers. They lie in an IndexedDB database of their own, beside the memory and
 * never in it: exporting, importing or handing on a memory takes none of this along.
 */

import { Beside } from "../host/beside";
import { MODELS_DATABASE } from "../host/names";
import { syncOrigins } from "../sync/settings";

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

const SETTINGS = "settings";
const KEYS = "keys";
const kept = new Beside(MODELS_DATABASE, [SETTINGS, KEYS]);

/** Of the memory named `profile`. A browser that has never chosen a model gets no database for asking. */
export async function readSettings(profile: string): Promise<ModelSettings> {
  const found = await kept.in(SETTINGS, "readonly", (store) => store.get(profile) as IDBRequest<ModelSettings | undefined>);
  return found ?? NO_MODEL;
}

export async function writeSettings(profile: string, settings: ModelSettings): Promise<void> {
  await kept.in(SETTINGS, "readwrite", (store) => store.put(settings, profile));
}

/** A key belongs to one origin and is sent to no other. */
export async function readKey(profile: string, address: string): Promise<string | null> {
  const found = await kept.in(KEYS, "readonly", (store) => store.get([profile, originOf(address)]) as IDBRequest<string | undefined>);
  return found ?? null;
}

/** An empty key is removed. */
export async function writeKey(profile: string, address: string, key: string): Promise<void> {
  const place = [profile, originOf(address)];
  await kept.in<unknown>(KEYS, "readwrite", (store) => (key ? store.put(key, place) : store.delete(place)));
}

/** Settings and keys of a memory that is deleted. */
export async function forgetModels(profile: string): Promise<void> {
  if ((await readAll()) === undefined) return;
  await kept.in<unknown>(SETTINGS, "readwrite", (store) => store.delete(profile));
  await kept.in<unknown>(KEYS, "readwrite", (store) => store.delete(IDBKeyRange.bound([profile], [profile, []])));
}

/** The origins that the user's own choices, of all memories here, allow the worker to ask: for models and for syncing. */
export async function allowedOrigins(): Promise<string[]> {
  const all = await readAll();
  const origins = (all ?? []).flatMap(({ choice, trying }) => [
    ...(choice.kind === "server" ? [originOf(choice.address)] : []),
    ...(trying ? [trying, ...(SENDS_ON[trying] ?? [])] : []),
  ]);
  return [...new Set([...origins, ...(await syncOrigins())])].sort();
}

const readAll = (): Promise<ModelSettings[] | undefined> =>
  kept.in(SETTINGS, "readonly", (store) => store.getAll() as IDBRequest<ModelSettings[]>);

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
