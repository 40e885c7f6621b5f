/** Starting: the page is usable at once, the memory follows. */

import { openMemory } from "../../client";
import type { PyMemory } from "../../client/types";
import { pageKey } from "../../host/names";
import { languageNow, onLookElsewhere } from "../../look";
import { create, database } from "../../profiles/current";
import { registerServiceWorker } from "../../site";
import { language, t } from "../i18n";
import { readBackup } from "./backup";
import { receive, showUnanswered } from "./chat";
import { keepDrafts, watchDrafts } from "./drafts";
import { hideEarly, showEarly, watchEarly } from "./early";
import { watchDrops, watchKeys } from "./keys";
import { act, memoryNow, provideMemory, toast } from "./memory";
import { watchModels } from "./model-choice";
import { profileGone, watchProfiles } from "./profile";
import { findPlace, isIncognito, keepPlace, loadFirst, refreshAll } from "./sessions";
import { type BootStep, state } from "./state";
import { watchSync } from "./sync";
import { keepOffers, offerAgain } from "./undo";
import { refreshMessages } from "./window";
import { tellZone } from "./zone";

const REFRESH_MS = 120;
/** They change neither chats nor facts. */
const QUIET = new Set(["set_setting", "record_uses", "set_feedback"]);

const UNSAVED = new Set(["quota", "storage", "unsaved"]);

declare global {
  var pyMemory: PyMemory | undefined;
}

interface InstallEvent extends Event {
  prompt(): Promise<void>;
}

export async function start(): Promise<void> {
  findPlace();
  watchDrafts();
  watchSurroundings();
  watchKeys();
  watchDrops();
  void showEarly();
  state.set({ first: !navigator.serviceWorker?.controller });
  // Asked first, so that a chat which was begun but never made exists before its message is answered.
  void showUnanswered();
  const site = registerServiceWorker(() => memory.ready);
  const memory = openMemory({ database, create, policy: site.then(({ controlled }) => controlled) });
  globalThis.pyMemory = memory;
  watchMemory(memory);
  provideMemory(memory);
  tellZone(state.get().first).catch(() => undefined); // a memory that cannot be opened says so itself
  watchEarly();
  void site.then(({ onUpdateReady }) => onUpdateReady((apply) => state.set({ update: apply })));
  // Active only once it holds every file of the program.
  void navigator.serviceWorker?.ready.then(() => state.set({ worksOffline: true }));
  await memory.ready;
  state.set({ ready: true, failure: null });
  act(loadFirst);
  act(readBackup);
  act(() => watchModels(memory));
  act(() => watchSync(memory));
  act(watchProfiles);
  act(tellInterrupted);
  offerAgain(refreshAll);
}

/** Loaded only where an import has not come to its end. */
async function tellInterrupted(): Promise<void> {
  try {
    if (localStorage.getItem(pageKey(database, "importing")) === null) return;
  } catch {
    return; // where nothing can be kept, no import outlives its page
  }
  const { tell } = await import("./interrupted");
  await tell();
}

function watchMemory(memory: PyMemory): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (): void => {
    timer = undefined;
    if (state.get().loaded) act(refreshAll);
  };
  memory.on("boot", ({ step }) => state.set({ boot: step as BootStep }));
  memory.on("chat", receive);
  memory.on("status", (status) => state.set({ status, ...(status.owner === "none" ? {} : { failure: null }) }));
  let mine = false;
  memory.on("owner", ({ owner }) => {
    state.set({ taken: mine && owner === "other-tab" });
    if (owner !== "none") mine = owner === "this-tab" || state.get().taken;
    // With the tab that kept the memory an incognito chat goes.
    if (owner !== "none" && state.get().incognito) act(refreshMessages);
  });
  memory.on("saved", () => {
    const { problem } = state.get();
    if (!problem || problem.code === "version") return;
    state.set({ problem: null });
    if (UNSAVED.has(problem.code ?? "")) toast({ text: t.savedAgain });
  });
  memory.on("error", (fault) => {
    if (fault.code === "gone" && fault.choices) return act(profileGone);
    // Only what keeps the memory from opening comes with choices. Two others are also in the status, as warnings.
    if (fault.choices) {
      state.set({ failure: fault });
      hideEarly();
    } else if (fault.code !== "restored" && fault.code !== "evicted") state.set({ problem: fault });
  });
  memory.on("changed", ({ method }) => {
    if (!QUIET.has(method)) timer ??= setTimeout(refresh, REFRESH_MS);
  });
  state.set({ status: memory.status() });
}

function watchSurroundings(): void {
  const online = (): void => state.set({ online: navigator.onLine });
  // Not by itself: what is open in this tab would be lost.
  onLookElsewhere(() => state.set({ spoken: languageNow() !== language }));
  addEventListener("online", online);
  addEventListener("offline", online);
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    state.set({ installable: () => void (event as InstallEvent).prompt() });
  });
  addEventListener("appinstalled", () => state.set({ installable: null }));
  addEventListener("beforeunload", (event) => {
    const { messages, outgoing } = state.get();
    const lost = isUnsaved() && (messages.length > 0 || outgoing.length > 0);
    if (lost || outgoing.some(({ kept, session_id }) => !kept && !isIncognito(session_id))) event.preventDefault();
  });
  addEventListener("pagehide", () => {
    keepDrafts();
    keepPlace();
    keepOffers();
    saveSoon();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      keepDrafts();
      saveSoon();
    } else if (state.get().ready) {
      act(() => tellZone()); // the device may have travelled
    }
  });
  fitKeyboard();
}

function isUnsaved(): boolean {
  const { status } = state.get();
  return status?.state === "saving" || (status?.state === "unsaved" && (status.dirty > 0 || status.memoryOnly));
}

/** A page that is put away may not come back: what could not be saved is tried once more. */
function saveSoon(): void {
  if (isUnsaved() && !state.get().status?.memoryOnly) void memoryNow()?.flush().catch(() => undefined);
}

/** Where the on-screen keyboard covers the page instead of shrinking it, the page shrinks itself. */
function fitKeyboard(): void {
  const viewport = window.visualViewport;
  viewport?.addEventListener("resize", () => {
    const covered = window.innerHeight - viewport.height * viewport.scale > 80;
    document.documentElement.style.setProperty("--height", covered ? `${viewport.height}px` : "100dvh");
    if (covered) window.scrollTo(0, 0);
  });
}
