/**
 * Who answers, and the keys of model servers. They lie in an IndexedDB database of their own, beside the memory and
 * never in it: exporting, importing or handing on a memory takes none of this along.
 */

import { syncOrigins } from "../sync/settings";
import { SmallStore } from "./small-store";

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
const store = new SmallStore("py-memory-models", [SETTINGS, KEYS]);

/** Of the memory named `profile`. A browser that has never chosen a model gets no database for asking. */
export async function readSettings(profile: string): Promise<ModelSettings> {
  const found = await store.in(SETTINGS, "readonly", (rows) => rows.get(profile) as IDBRequest<ModelSettings | undefined>);
  return found ?? NO_MODEL;
}

export async function writeSettings(profile: string, settings: ModelSettings): Promise<void> {
  await store.in(SETTINGS, "readwrite", (rows) => rows.put(settings, profile));
}

/** A key belongs to one origin and is sent to no other. */
export async function readKey(profile: string, address: string): Promise<string | null> {
  const found = await store.in(KEYS, "readonly", (rows) => rows.get([profile, originOf(address)]) as IDBRequest<string | undefined>);
  return found ?? null;
}

/** An empty key is removed. */
export async function writeKey(profile: string, address: string, key: string): Promise<void> {
  const place = [profile, originOf(address)];
  await store.in<unknown>(KEYS, "readwrite", (rows) => (key ? rows.put(key, place) : rows.delete(place)));
}

/** The origins that the user's own choices, of all memories here, allow the worker to ask: for models and for syncing. */
export async function allowedOrigins(): Promise<string[]> {
  const all = await store.in(SETTINGS, "readonly", (rows) => rows.getAll() as IDBRequest<ModelSettings[]>);
  const origins = (all ?? []).flatMap(({ choice, trying }) => [
    ...(choice.kind === "server" ? [originOf(choice.address)] : []),
    ...(trying ? [trying, ...(SENDS_ON[trying] ?? [])] : []),
  ]);
  return [...new Set([...origins, ...(await syncOrigins())])].sort();
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
