/** What is remembered: proposals and their answers, and the list in the panel. */

import { t } from "../i18n";
import { keyInWords } from "../i18n/keys";
import type { Conflict, Fact, Namespace, Receipt } from "../model";
import { call, toast } from "./memory";
import { state } from "./state";
import { offerUndo, UNDO_MS } from "./undo";

let turn = 0;

/** Of what is current only what is in sight: in the open panel everything, else what the messages on screen said. */
export async function refreshFacts(): Promise<void> {
  const mine = ++turn;
  const { panel, messages } = state.get();
  const [shown, candidates, disputed, former, expired] = await Promise.all([
    panel ? call<Fact[]>("list_facts") : factsOf({ source_message_ids: messages.map(({ id }) => id) }),
    call<Fact[]>("list_facts", { status: "candidate" }),
    call<Fact[]>("list_facts", { status: "disputed" }),
    panel ? call<Fact[]>("list_facts", { status: "superseded", limit: 500 }) : state.get().former,
    panel ? call<Fact[]>("list_facts", { status: "expired", limit: 500 }) : state.get().expired,
  ]);
  // A proposal says what it would correct.
  const corrected = panel ? [] : await factsOf({ keys: [...new Set(candidates.map(({ key }) => key))] });
  const facts = [...new Map([...shown, ...corrected].map((fact) => [fact.id, fact])).values()];
  const conflicts = disputed.length ? await call<Conflict[]>("conflicts") : [];
  if (mine === turn) state.set({ facts, proposals: [...candidates.reverse(), ...disputed], conflicts, former, expired });
}

async function factsOf(which: { keys: string[] } | { source_message_ids: string[] }): Promise<Fact[]> {
  return Object.values(which)[0]?.length ? call<Fact[]>("list_facts", which) : [];
}

/** Adds what a round has just found, so that it is seen before the next reading. */
export function noticed(proposed: readonly Fact[], stored: readonly Fact[]): void {
  turn += 1;
  const { facts, proposals } = state.get();
  const known = new Set([...facts, ...proposals].map((fact) => fact.id));
  state.set({
    proposals: [...proposals, ...proposed.filter((fact) => !known.has(fact.id))],
    facts: [...facts, ...stored.filter((fact) => !known.has(fact.id))],
  });
}

export async function keep(fact: Fact, value?: string): Promise<void> {
  await call("confirm_fact", value === undefined || value === fact.value ? { id: fact.id } : { id: fact.id, value });
  await refreshFacts();
}

export async function keepAll(facts: readonly Fact[]): Promise<void> {
  for (const fact of facts) await call("confirm_fact", { id: fact.id });
  await refreshFacts();
}

/** `kind`: nothing like it is to be proposed again. */
export async function reject(fact: Fact, kind = false): Promise<void> {
  const receipt = await call<Receipt>("reject_fact", { id: fact.id, never_this_kind: kind });
  await refreshFacts();
  const text = kind ? t.facts.neverProposed(keyInWords(fact.key)) : t.facts.notKept(fact.value);
  offerUndo(receipt, "rejected", text, refreshFacts);
}

/** A disputed one that no longer holds: it stays readable as what was true before. */
export async function end(fact: Fact): Promise<void> {
  const undo_until = Date.now() + UNDO_MS;
  const { operation_id } = await call<Fact>("end_fact", { id: fact.id });
  await refreshFacts();
  if (operation_id) offerUndo({ operation_id, undo_until }, "rejected", t.facts.over(fact.value), refreshFacts);
}

/** What has expired counts again, from now on for as long as its kind does. */
export async function renew(fact: Fact): Promise<void> {
  const undo_until = Date.now() + UNDO_MS;
  const { operation_id } = await call<Fact>("renew_fact", { id: fact.id });
  await refreshFacts();
  if (operation_id) offerUndo({ operation_id, undo_until }, "renewed", t.panel.renewed(fact.value), refreshFacts);
}

export async function pin(fact: Fact): Promise<void> {
  await call("pin_fact", { id: fact.id, pinned: !fact.pinned });
  await refreshFacts();
}

/** Another value is a correction: the former one stays readable. Where a key holds many values, it makes way. */
export async function change(fact: Fact, value: string): Promise<void> {
  if (value === fact.value) return;
  const made = await call<Fact>("set_fact", { key: fact.key, value, pinned: fact.pinned });
  if (made.id !== fact.id && holdsMany(fact.key)) await call("end_fact", { id: fact.id });
  await refreshFacts();
}

export async function forget(fact: Fact): Promise<void> {
  const receipt = await call<Receipt>("forget", { fact_id: fact.id });
  await refreshFacts();
  offerUndo(receipt, "forgotten", t.panel.forgotten(fact.value), refreshFacts, {
    details: receipt.beyond.map((code) => t.panel.beyond[code] ?? code),
  });
}

export async function finish(task: Fact): Promise<void> {
  const undo_until = Date.now() + UNDO_MS;
  const { operation_id } = await call<Fact>("end_fact", { id: task.id });
  await refreshFacts();
  const text = t.panel.taskDone(task.value);
  if (operation_id) offerUndo({ operation_id, undo_until }, "done", text, refreshFacts);
  else toast({ text });
}

export function openPanel(open: boolean): void {
  state.set({ panel: open, drawer: false });
  if (open) void refreshFacts();
}

export async function readNamespaces(): Promise<void> {
  const spaces = await call<Namespace[]>("list_namespaces");
  state.set({ manyValued: spaces.filter((space) => !space.single_valued).map((space) => space.prefix) });
}

export function holdsMany(key: string): boolean {
  return state.get().manyValued.some((prefix) => key === prefix || (prefix.endsWith("::") && key.startsWith(prefix)));
}
