/**
 * Whether this memory syncs, with which server, how that goes, and the token. They lie in an IndexedDB database of their
 * own, beside the memory and never in it: exporting, importing or handing on a memory takes none of this along.
 */

import { Beside } from "../host/beside";
import { SYNC_DATABASE } from "../host/names";

/** Why a sync did not succeed: a code of SyncError or the name of another error, and `why` where more is known. */
export interface SyncProblem {
  code: string;
  why: string;
  at: number;
}

export interface SyncSettings {
  address: string;
  /** It syncs by itself. */
  on: boolean;
  /** It is being switched on, so that the address may be asked. */
  trying: boolean;
  /** When it last succeeded (ms UTC). */
  lastAt: number | null;
  problem: SyncProblem | null;
  /** How often it has failed since. */
  failures: number;
  /** Not before this time (ms UTC) is it tried again by itself; null: not before the user does something. */
  notBefore: number | null;
  /** The memory from before the first sync, in so many pieces; `bytes` as they lie here. */
  copy: { at: number; bytes: number; pieces: number } | null;
  /** When changes made here were last dropped because another device had forgotten what they were made to, and of which
   * tables. */
  dropped?: { at: number; rows: Readonly<Record<string, number>> };
}

/** Those of a memory that is about to be switched on. */
export const beginning = (address: string): SyncSettings => ({
  address,
  on: false,
  trying: true,
  lastAt: null,
  problem: null,
  failures: 0,
  notBefore: 0,
  copy: null,
});

const store = new Beside(SYNC_DATABASE, ["settings", "tokens", "copies"]);

/** Of the memory named `profile`; null where it was never switched on. */
export async function readSync(profile: string): Promise<SyncSettings | null> {
  return (await store.in("settings", "readonly", (rows) => rows.get(profile) as IDBRequest<SyncSettings | undefined>)) ?? null;
}

export async function writeSync(profile: string, settings: SyncSettings | null): Promise<void> {
  await store.in<unknown>("settings", "readwrite", (rows) =>
    settings ? rows.put(settings, profile) : rows.delete(profile),
  );
}

/** A token belongs to one origin and is sent to no other. */
export async function readToken(profile: string, address: string): Promise<string | null> {
  const place = [profile, new URL(address).origin];
  return (await store.in("tokens", "readonly", (rows) => rows.get(place) as IDBRequest<string | undefined>)) ?? null;
}

/** An empty one is removed. */
export async function writeToken(profile: string, address: string, token: string): Promise<void> {
  const place = [profile, new URL(address).origin];
  await store.in<unknown>("tokens", "readwrite", (rows) => (token ? rows.put(token, place) : rows.delete(place)));
}

export async function writeCopy(profile: string, pieces: readonly ArrayBuffer[]): Promise<void> {
  await store.in<unknown>("copies", "readwrite", (rows) => {
    const last = rows.delete(IDBKeyRange.bound([profile], [profile, []]));
    pieces.forEach((piece, at) => rows.put(piece, [profile, at]));
    return last;
  });
}

export async function readCopy(profile: string): Promise<ArrayBuffer[]> {
  const range = IDBKeyRange.bound([profile], [profile, []]);
  return (await store.in("copies", "readonly", (rows) => rows.getAll(range) as IDBRequest<ArrayBuffer[]>)) ?? [];
}

/** All of it, of a memory that is deleted. */
export async function forgetSync(profile: string): Promise<void> {
  if ((await store.in("settings", "readonly", (rows) => rows.count())) === undefined) return;
  const range = IDBKeyRange.bound([profile], [profile, []]);
  await writeSync(profile, null);
  await store.in<unknown>("tokens", "readwrite", (rows) => rows.delete(range));
  await store.in<unknown>("copies", "readwrite", (rows) => rows.delete(range));
}

/** The origins that the worker may ask, of all memories here, beside the page's own. */
export async function syncOrigins(): Promise<string[]> {
  const all = await store.in("settings", "readonly", (rows) => rows.getAll() as IDBRequest<SyncSettings[]>);
  const wanted = (all ?? []).filter(({ on, trying }) => on || trying).map(({ address }) => new URL(address).origin);
  return wanted.filter((origin) => origin !== self.location.origin);
}
