/** What the user did not want to be asked about, and taking that back. Loaded with the settings. */

import { keyInWords, KNOWN_KEYS } from "../i18n/keys";
import { ts } from "../i18n/settings";
import type { Fact, Receipt } from "../model";
import { call } from "./memory";
import { offerUndo } from "./undo";

/** The memory keeps of them fingerprints only: it is asked about the keys that this page has words for, and those in use. */
export async function refusedKinds(): Promise<string[]> {
  const facts = await call<Fact[]>("list_facts", { status: null });
  const keys = [...new Set([...KNOWN_KEYS, ...facts.map(({ key }) => key)])];
  return call<string[]>("list_refused_kinds", { keys });
}

export async function allowKind(key: string, after: () => Promise<unknown>): Promise<void> {
  const receipt = await call<Receipt>("allow_kind", { key });
  await after();
  offerUndo(receipt, "allowed", ts.settings.allowed(keyInWords(key)), after);
}
