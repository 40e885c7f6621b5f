/** What the memory may connect to is written by the service worker, from the user's own settings. */

import { incognitoLock } from "../../host/names";
import { database } from "../../profiles/current";
import { memory } from "./memory";

const POLICY_MS = 10_000;

/** Why the memory cannot start anew now; null: it can. An incognito chat lives in the worker, and would be lost. */
export async function whyNotRestart(): Promise<"worker" | "incognito" | null> {
  if (!navigator.serviceWorker?.controller) return "worker";
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name?.startsWith(incognitoLock(database))) ? "incognito" : null;
}

/** The memory's workers start anew under the policy as the settings are now. False where that cannot be done. */
export async function renewPolicy(): Promise<boolean> {
  const worker = navigator.serviceWorker?.controller;
  if (!worker) return true;
  const renewed = await new Promise<boolean>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), POLICY_MS);
    worker.postMessage("policy", [port2]);
  });
  if (renewed) await (await memory()).restart();
  return renewed;
}
