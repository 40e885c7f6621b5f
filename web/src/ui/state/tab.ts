/** What this tab keeps over a reload of its memory, and nowhere else. Browsers may refuse even that. */

import { type PageKey, pageKey } from "../../host/names";
import { database } from "../../profiles/current";

let over = false;

/** The memory is being deleted: nothing of it is written down any more. */
export function keepNothing(): void {
  over = true;
}

export function keepInTab(name: PageKey, value: unknown): void {
  if (over) return;
  const key = pageKey(database, name);
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // No storage, or no room in it: the page goes on without.
  }
}

export function keptInTab<T>(name: PageKey): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(pageKey(database, name)) ?? "null") as T | null;
  } catch {
    return null;
  }
}
