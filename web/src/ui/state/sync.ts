/** Syncing as the page shows it. It runs in the tab that owns the memory; this asks for it and follows how it stands. */

import type { PyMemory } from "../../client/types";
import { addressSpace } from "../../host/net";
import { switchingLock } from "../../host/names";
import type { SyncState } from "../../host/rpc";
import { fullAddress } from "../../models/address";
import { allowedOrigins } from "../../models/settings";
import { database } from "../../profiles/current";
import { beginning, readSync, type SyncSettings, writeCopy, writeSync, writeToken } from "../../sync/settings";
import type { Conflict, SyncConflict, SyncPreview, SyncStatus } from "../model";
import { counted } from "../i18n";
import { ts } from "../i18n/sync";
import { call, toast } from "./memory";
import { renewPolicy, whyNotRestart } from "./policy";
import { Store } from "./store";

/** What keeps the form from being sent, by its text. */
export type FormProblem = "address" | "unsafe" | "token" | "worker" | "incognito";

interface Shown {
  state: SyncState | null;
  status: SyncStatus | null;
  preview: SyncPreview | null;
  conflicts: readonly SyncConflict[];
  disputes: readonly Conflict[];
  problem: FormProblem | null;
  busy: boolean;
}

export const sync = new Store<Shown>({
  state: null,
  status: null,
  preview: null,
  conflicts: [],
  disputes: [],
  problem: null,
  busy: false,
});

/** Called after the memory has been opened, so that a start does not wait for it. */
export async function watchSync(memory: PyMemory): Promise<void> {
  memory.on("sync", (state) => {
    const before = sync.get().state;
    const done = before?.running && !state.running;
    const { dropped } = state;
    if (before && dropped && dropped.at !== before.dropped?.at) toast({ text: droppedWords(dropped), tone: "problem" });
    // What would have been sent has been.
    sync.set({ state, ...(state.running && { preview: null }) });
    if (done && sync.get().status) void readSyncing();
  });
  sync.set({ state: await call<SyncState>("sync_state") });
  await dropTried();
}

/** What a page that is gone was switching on is not allowed any longer, and its token and its copy are not kept. */
async function dropTried(): Promise<void> {
  const isLeft = async (): Promise<SyncSettings | null> => {
    const known = await readSync(database);
    return known && known.trying && !known.on ? known : null;
  };
  if (!(await isLeft()) || !navigator.locks) return;
  await navigator.locks.request(switchingLock(database), { ifAvailable: true }, async (lock) => {
    const left = lock && (await isLeft());
    if (!left) return;
    if (!left.copy) await writeCopy(database, []);
    await giveUp(left.address);
  });
}

export const droppedWords = ({ rows }: NonNullable<SyncState["dropped"]>): string => ts.dropped(counted(rows));

/** What the dialog shows. */
export async function readSyncing(): Promise<void> {
  const [state, status, conflicts, disputes] = await Promise.all([
    call<SyncState>("sync_state"),
    call<SyncStatus>("sync_status"),
    call<SyncConflict[]>("sync_conflicts"),
    call<Conflict[]>("conflicts"),
  ]);
  sync.set({ state, status, conflicts, disputes });
}

export async function tryDry(): Promise<void> {
  sync.set({ preview: await call<SyncPreview>("preview_sync") });
}

/** Checks what was typed, lets the memory ask that server, and syncs for the first time. */
export function switchOn(typed: string, token: string): Promise<void> {
  return busily(async () => {
    const address = checked(typed, token.trim());
    if (!address) return;
    const before = (await allowedOrigins()).join();
    const { origin } = new URL(address);
    if (origin !== location.origin && !before.split(",").includes(origin)) {
      const problem = await whyNotRestart();
      if (problem) return sync.set({ problem });
    }
    await navigator.locks.request(switchingLock(database), async () => {
      await writeToken(database, address, token.trim());
      const known = await readSync(database);
      await writeSync(database, { ...beginning(address), ...known, address, trying: true });
      await followPolicy(before);
      await call("sync_on", { address });
      await readSyncing();
      if (!sync.get().state?.on) await giveUp(address);
    });
  });
}

/** Another token for the same server. */
export function changeToken(token: string): Promise<void> {
  return busily(async () => {
    const address = sync.get().state?.address;
    if (!address || !checked(address, token.trim())) return;
    await writeToken(database, address, token.trim());
    await call("sync_now");
    await readSyncing();
  });
}

export const syncNow = (): Promise<void> =>
  busily(async () => {
    await call("sync_now");
    await readSyncing();
  });

export const pause = (): Promise<unknown> => call("sync_pause");

/** Everything stays here. The server is not told, and may not be asked any more. */
export function switchOff(): Promise<void> {
  return ending("sync_off");
}

/** Back to what the memory was before the first sync. */
export function undoFirstSync(): Promise<void> {
  return ending("undo_sync");
}

export async function settle(id: string, take: string, value?: string): Promise<void> {
  await call("settle_sync_conflict", { id, take, ...(value !== undefined && { value }) });
  await readSyncing();
}

export async function settleDispute(fact_id: string, take: string, value?: string): Promise<void> {
  await call("settle_conflict", { fact_id, take, ...(value !== undefined && { value }) });
  await readSyncing();
}

function ending(how: "sync_off" | "undo_sync"): Promise<void> {
  return busily(async () => {
    const before = (await allowedOrigins()).join();
    const address = sync.get().state?.address;
    await call(how);
    if (address) await writeToken(database, address, "");
    await followPolicy(before);
    sync.set({ preview: null });
    await readSyncing();
  });
}

/** What was only tried is not allowed any longer. */
async function giveUp(address: string): Promise<void> {
  const before = (await allowedOrigins()).join();
  const known = await readSync(database);
  if (known) await writeSync(database, { ...known, trying: false });
  await writeToken(database, address, "");
  await followPolicy(before);
}

async function followPolicy(before: string): Promise<void> {
  if ((await allowedOrigins()).join() !== before) await renewPolicy();
}

function checked(typed: string, token: string): string | null {
  let address: string;
  try {
    address = fullAddress(typed);
  } catch {
    sync.set({ problem: "address" });
    return null;
  }
  const url = new URL(address);
  const plain = url.protocol === "http:" && url.origin !== location.origin && addressSpace(url) !== "loopback";
  if (plain) sync.set({ problem: "unsafe" });
  else if (!/^mt_[!-~]+$/.test(token)) sync.set({ problem: "token" });
  else return address;
  return null;
}

async function busily(work: () => Promise<void>): Promise<void> {
  if (sync.get().busy) return;
  sync.set({ busy: true, problem: null });
  try {
    await work();
  } finally {
    sync.set({ busy: false });
  }
}
