/** An import ends with the tab that keeps the memory. What had come by then stays, so the next start says that it is a part. */

import { importLock, pageKey } from "../../host/names";
import { database } from "../../profiles/current";
import { ti } from "../i18n/import";
import { toast } from "./memory";
import { state } from "./state";

const KEPT = pageKey(database, "importing");
const SHOWN_MS = 60_000;

/** Whatever becomes of `work`, the next start says nothing of it once it has ended. */
export async function noted<T>(work: () => Promise<T>): Promise<T> {
  if (!("locks" in navigator)) return work(); // nothing outlives this page
  return navigator.locks.request(importLock(database), async () => {
    try {
      localStorage.setItem(KEPT, "");
    } catch {
      // Where nothing more can be kept, nothing is said.
    }
    try {
      return await work();
    } finally {
      forget();
    }
  });
}

function forget(): void {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // Nothing was kept.
  }
}

export async function tell(): Promise<void> {
  if (!("locks" in navigator)) return;
  await navigator.locks.request(importLock(database), { ifAvailable: true }, (lock) => {
    if (!lock) return; // another tab is at it
    forget();
    const again = { label: ti.importAgain, run: () => state.set({ dialog: { kind: "import" } }) };
    toast({ text: ti.interrupted, tone: "problem", until: Date.now() + SHOWN_MS, actions: [again] });
  });
}
