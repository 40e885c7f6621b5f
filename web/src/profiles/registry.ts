/**
 * The profiles of this browser: each is a memory in a database of its own. The list holds their names; a memory whose
 * entry was lost is found by its database.
 */

import { Beside, databaseNames } from "../host/beside";
import { Connection } from "../host/idb";
import { uuid7 } from "../host/ids";
import { PROFILES, profileIn } from "../host/names";
import { databaseOf, FIRST } from "./current";

export interface Profile {
  id: string;
  /** Null: it was given none. */
  name: string | null;
}

interface Entry extends Profile {
  created_at: number;
  /** It is being deleted: if that was interrupted, the next page goes on. */
  removing?: boolean;
}

const LIST = "profiles";
const kept = new Beside(PROFILES.database, [LIST]);

/** The first one, then the others, oldest first. */
export async function listProfiles(): Promise<Profile[]> {
  const [entries, names] = await Promise.all([read(), databaseNames().catch(() => null)]);
  const known = new Set(entries.map(({ id }) => id));
  const found = (names ?? []).map(profileIn).filter((id) => id !== null && !known.has(id));
  const first = entries.find(({ id }) => id === FIRST);
  const others = entries.filter(({ id, removing }) => id !== FIRST && !removing);
  return [
    { id: FIRST, name: first?.name ?? null },
    ...others.sort((a, b) => a.created_at - b.created_at).map(({ id, name }) => ({ id, name })),
    ...found.map((id) => ({ id: id as string, name: null })),
  ];
}

/** The database first: killed in between, the profile is found without its name. */
export async function createProfile(name: string): Promise<Profile> {
  const id = uuid7();
  await makeDatabase(id);
  await put({ id, name, created_at: Date.now() });
  return { id, name };
}

export async function renameProfile(id: string, name: string): Promise<void> {
  const entry = (await read()).find((one) => one.id === id);
  await put({ created_at: Date.now(), ...entry, id, name });
}

/** Whether there is such a profile. One that the browser has removed gets its database anew, and says so once opened. */
export async function exists(id: string): Promise<boolean> {
  if (id === FIRST) return true;
  if (!(await listProfiles()).some((one) => one.id === id)) return false;
  await makeDatabase(id);
  return true;
}

export async function noteRemoval(id: string): Promise<void> {
  const entry = (await read()).find((one) => one.id === id);
  await put({ name: null, created_at: Date.now(), ...entry, id, removing: true });
}

export async function noteRemoved(id: string): Promise<void> {
  await kept.in(LIST, "readwrite", (store) => store.delete(id));
}

/** Those whose deletion has been begun. */
export async function removalsBegun(): Promise<string[]> {
  return (await read()).filter(({ removing }) => removing).map(({ id }) => id);
}

async function read(): Promise<Entry[]> {
  return (await kept.in(LIST, "readonly", (store) => store.getAll() as IDBRequest<Entry[]>)) ?? [];
}

async function put(entry: Entry): Promise<void> {
  await kept.in(LIST, "readwrite", (store) => store.put(entry, entry.id));
}

async function makeDatabase(id: string): Promise<void> {
  const connection = new Connection(databaseOf(id));
  await connection.open();
  connection.close();
}
