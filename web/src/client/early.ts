/**
 * A page's own worker, started by a script of a few lines before the application itself has been loaded. Only where a
 * service worker is in control already: elsewhere it is not known yet whether a policy will be in force.
 */

import type { FromWorker, StartOptions } from "../host/rpc";
import { isMarked } from "./marker";

interface Early {
  database: string;
  worker: Worker;
  /** What it has said until somebody listens. */
  said: FromWorker[];
}

declare global {
  var pyMemoryEarly: Early | undefined;
}

export function startWorker(script: string | URL, options: StartOptions): Worker {
  const worker = new Worker(script, { type: "module", name: "py-memory" });
  worker.postMessage({ type: "start", options });
  return worker;
}

export function startEarly(script: URL, { database, create }: Pick<StartOptions, "database" | "create">): void {
  if (!(navigator as Partial<Navigator>).serviceWorker?.controller) return;
  const worker = startWorker(script, { database, create, expected: isMarked(database), policy: true, steal: false });
  const said: FromWorker[] = [];
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => said.push(data);
  worker.onerror = ({ message }) => said.push(notLoaded(message));
  globalThis.pyMemoryEarly = { database, worker, said };
}

/** Hands over the one of this memory, once. */
export function takeEarly(database: string): Early | undefined {
  const early = globalThis.pyMemoryEarly;
  if (early?.database !== database) return undefined;
  globalThis.pyMemoryEarly = undefined;
  return early;
}

export function notLoaded(reason: string): FromWorker {
  const message = reason || "The memory's worker could not be loaded.";
  return { type: "failed", error: { name: "Error", message, code: "worker" }, choices: [] };
}
