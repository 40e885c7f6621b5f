/** What is being written belongs to its chat: it survives a look into another chat and a reload. */

import { detachAll, handOver } from "./attaching";
import { state } from "./state";
import { keepInTab, keptInTab } from "./tab";

const KEPT = "drafts";
const KEEP_MS = 300;

/** By session; under "" the one that has no id yet. */
let drafts: Record<string, string> = {};
let shownIn: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

export function watchDrafts(): void {
  drafts = keptInTab(KEPT) ?? {};
  shownIn = state.get().current;
  state.set({ draft: drafts[shownIn ?? ""] ?? "" });
  state.watch(follow);
}

export function keepDrafts(): void {
  clearTimeout(timer);
  timer = undefined;
  const { incognito } = state.get();
  const kept = Object.entries(drafts).filter(([session]) => session !== incognito);
  keepInTab(KEPT, kept.length ? Object.fromEntries(kept) : null);
}

export function dropDraft(session: string): void {
  delete drafts[session];
  detachAll(session);
  keepDrafts();
}

function follow(): void {
  const { current, draft } = state.get();
  if (current === shownIn) {
    if (draft !== (drafts[current ?? ""] ?? "")) note(current, draft);
    return;
  }
  const former = shownIn;
  shownIn = current;
  if (former === null && current !== null) handOver(current);
  if (former === null && draft) {
    // The chat has only now got its id; what is being written stays.
    note(null, "");
    note(current, draft);
  } else {
    state.set({ draft: drafts[current ?? ""] ?? "" });
  }
}

function note(session: string | null, draft: string): void {
  if (draft) drafts[session ?? ""] = draft;
  else delete drafts[session ?? ""];
  if (draft) timer ??= setTimeout(keepDrafts, KEEP_MS);
  else keepDrafts();
}
