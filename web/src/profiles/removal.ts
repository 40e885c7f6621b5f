/** Deletes a profile with every trace of it in this browser. */

import { unmark } from "../client/marker";
import { ownerLock, PAGE_KEYS, pageKey, PROFILES, scratchDatabase } from "../host/names";
import { dropAll } from "../models/file";
import { forgetModels } from "../models/settings";
import { forgetSync } from "../sync/settings";
import { databaseOf } from "./current";
import { noteRemoval, noteRemoved, removalsBegun } from "./registry";

/** What tabs tell each other. On `removing` those that show the profile let go of it. */
export type Notice = { type: "changed" } | { type: "removing" | "removed"; id: string };

/**
 * Nobody else can become the owner meanwhile. A tab that the browser has put to sleep keeps the database open, and
 * `waits` is called: it is deleted once that tab wakes or is closed. Whatever interrupts this, the list knows of it, and
 * another page goes on by finishRemoval().
 */
export async function removeProfile(id: string, announce: (notice: Notice) => void, waits: () => void): Promise<void> {
  await noteRemoval(id);
  await finishRemoval(id, announce, waits);
}

/** Does nothing if another page has finished it. */
export async function finishRemoval(id: string, announce: (notice: Notice) => void, waits: () => void): Promise<void> {
  await navigator.locks.request(PROFILES.removal, async () => {
    if (!(await removalsBegun()).includes(id)) return;
    announce({ type: "removing", id });
    await navigator.locks.request(ownerLock(databaseOf(id)), { steal: true }, () => removeAll(id, waits));
    announce({ type: "removed", id });
  });
}

async function removeAll(id: string, waits: () => void): Promise<void> {
  const database = databaseOf(id);
  await deleteDatabase(database, waits);
  await deleteDatabase(scratchDatabase(database), waits);
  await forgetModels(database);
  await forgetSync(database);
  await dropAll(database);
  navigator.serviceWorker?.controller?.postMessage("policy"); // its servers need not be reached any more
  unmark(database);
  forgetPage(database);
  await noteRemoved(id);
}

/** What this tab, and all tabs together, keep of it outside of databases. */
export function forgetPage(database: string): void {
  for (const key of PAGE_KEYS.map((name) => pageKey(database, name))) {
    localStorage.removeItem(key);
    sessionStorage.removeItem(key);
  }
}

/** New tabs do not begin with what is gone. */
export function forgetChoice(id: string): void {
  const kept = localStorage.getItem(PROFILES.chosen);
  if (kept && (JSON.parse(kept) as { id: string }).id === id) localStorage.removeItem(PROFILES.chosen);
}

function deleteDatabase(name: string, waits: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onblocked = () => waits();
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`${name} cannot be deleted.`));
  });
}
