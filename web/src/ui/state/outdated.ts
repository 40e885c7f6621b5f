/** A page that is older than the program which keeps the memory: it reloads, once, and else says so. */

import type { Problem } from "../model";
import { state } from "./state";
import { keepInTab, keptInTab } from "./tab";

const RELOADED = "reloaded";
const AGAIN_MS = 60_000;

/** What is being written is kept over a reload, and what was sent lies on disk. */
export function isOutdated({ code }: Problem): boolean {
  if (code !== "version") return false;
  if (Date.now() - (keptInTab<number>(RELOADED) ?? 0) < AGAIN_MS) {
    state.set({ problem: { name: "VersionError", message: "", code } });
  } else {
    keepInTab(RELOADED, Date.now());
    location.reload();
  }
  return true;
}
