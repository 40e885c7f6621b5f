/** The last export, and when it is time for another one. */

import { pageKey } from "../../host/names";
import { database } from "../../profiles/current";
import { call } from "./memory";
import { type State, state } from "./state";

export interface Backup {
  at: number;
  /** How much the memory held then. */
  messages: number;
  bytes: number;
}

const SETTING = "page.last_export";
const SNOOZED = pageKey(database, "backup-snoozed");
const DAY_MS = 86_400_000;
const OLD_DAYS = 30;
const MANY_MESSAGES = 200;
const MANY_BYTES = 5 << 20;
const SNOOZE_DAYS = 7;

export async function readBackup(): Promise<void> {
  const [kept] = await Promise.all([call<Backup | number | null>("get_setting", { name: SETTING }), countAll()]);
  state.set({ backup: typeof kept === "number" ? { at: kept, messages: 0, bytes: 0 } : kept });
}

export async function noteBackup(): Promise<void> {
  await countAll();
  const { messages = 0, bytes = 0 } = state.get().counts ?? {};
  const backup: Backup = { at: Date.now(), messages, bytes };
  state.set({ backup });
  await call("set_setting", { name: SETTING, value: backup });
}

/** Rows by table, and bytes. */
export async function countAll(): Promise<void> {
  state.set({ counts: await call<Record<string, number>>("stats") });
}

/** Messages since the last export, if there are any. */
export function messagesSince({ backup, counts }: State): number {
  return Math.max(0, (counts?.["messages"] ?? 0) - (backup?.messages ?? 0));
}

/** By amount or by age; a memory that was never exported is as old as its oldest chat in sight. */
export function isBackupDue(now: State): boolean {
  const { backup, counts, sessions, loaded } = now;
  const messages = messagesSince(now);
  if (!loaded || !counts || isSnoozed()) return false;
  if (messages >= MANY_MESSAGES || (counts["bytes"] ?? 0) - (backup?.bytes ?? 0) >= MANY_BYTES) return true;
  const since = backup?.at ?? Math.min(...sessions.map((session) => session.created_at));
  return messages > 0 && Date.now() - since > OLD_DAYS * DAY_MS;
}

export function snoozeBackup(): void {
  try {
    localStorage.setItem(SNOOZED, String(Date.now() + SNOOZE_DAYS * DAY_MS));
  } catch {
    // Then it is asked again at the next visit.
  }
}

function isSnoozed(): boolean {
  try {
    return Date.now() < Number(localStorage.getItem(SNOOZED) ?? 0);
  } catch {
    return false;
  }
}
