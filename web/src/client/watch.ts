/**
 * Notices when the tab that holds the memory is frozen: it keeps its lock and answers nothing. Pages ask each other, not
 * the workers, so that a worker busy with a long import does not look dead, and by messages, which browsers do not slow
 * down in hidden tabs as they do timers.
 */

import { aliveChannel } from "../host/names";

const EVERY_MS = 2_500;
const UNANSWERED = 4;

export interface Watched {
  /** Whether this tab waits for an answer of the owner, or for one to appear. */
  waits(): boolean;
  /** Whether this tab's worker holds the lock. */
  holds(): boolean;
  /** The owner has not answered for some ten seconds. */
  frozen(): void;
}

export function watch(database: string, tab: Watched): void {
  const channel = new BroadcastChannel(aliveChannel(database));
  let asked = 0;
  channel.onmessage = ({ data }: MessageEvent<"alive?" | "alive">) => {
    if (data === "alive") asked = 0;
    else if (tab.holds()) channel.postMessage("alive");
  };
  setInterval(() => {
    if (tab.holds() || !tab.waits()) {
      asked = 0;
    } else if (asked < UNANSWERED) {
      asked += 1;
      channel.postMessage("alive?");
    } else {
      asked = 0;
      tab.frozen();
    }
  }, EVERY_MS);
}
