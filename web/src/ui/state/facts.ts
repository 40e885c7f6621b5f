/** What is remembered: proposals and their answers, and the list in the panel. */

import { listed, t } from "../i18n";
import { tb } from "../i18n/basis";
import { KEYS_OF_GROUPS, keyInWords, keysWithWords } from "../i18n/keys";
import type { Conflict, Fact, Namespace, Receipt, WaitingPage } from "../model";
import { act, call, toast } from "./memory";
import { state } from "./state";
import { refreshAll } from "./sessions";
import { offerUndo, UNDO_MS } from "./undo";
import { refreshMessages } from "./window";

/** Entries of the panel that are read at first, some windows full, and each time the reader comes near their end. */
const FIRST = 12;
const MORE = 40;
/** What waits for an answer, likewise. */
const FIRST_WAITING = 6;

let turn = 0;
let panelTurn = 0;
let noticedSoFar = 0;
/** How many entries of the panel are asked for, and how many of what waits. */
let asked = FIRST;
let askedWaiting = FIRST_WAITING;

/** Reads what is in sight: the open chat with what it said, what waits for an answer and, if open, the panel. */
export async function refreshFacts(): Promise<void> {
  await Promise.all([refreshMessages(), readWaiting(), state.get().panel ? readPanel() : undefined]);
}

export const distinct = (facts: readonly Fact[]): Fact[] => [...new Map(facts.map((fact) => [fact.id, fact])).values()];

async function readWaiting(): Promise<void> {
  const mine = ++turn;
  const waiting = await call<WaitingPage>("read_waiting", { limit: askedWaiting });
  if (mine === turn) state.set({ waiting });
}

export function showMoreWaiting(): void {
  askedWaiting = state.get().waiting.facts.length + MORE;
  act(readWaiting);
}

interface FactsPage {
  facts: readonly Fact[];
  total: number;
  former: readonly Fact[];
  expired: readonly Fact[];
}

async function readPanel(): Promise<void> {
  const mine = ++panelTurn;
  const words = state.get().wanted.trim();
  const page = await call<FactsPage>("read_facts", {
    groups: KEYS_OF_GROUPS,
    limit: asked,
    ...(words && { words, keys: keysWithWords(words) }),
  });
  if (mine !== panelTurn) return;
  const former = new Map<string, Fact[]>();
  for (const fact of page.former) former.set(fact.key, [...(former.get(fact.key) ?? []), fact]);
  const { facts: remembered, total: rememberedCount, expired } = page;
  state.set({ remembered, rememberedCount, former, expired });
}

export function showMoreRemembered(): void {
  const { remembered, rememberedCount } = state.get();
  if (remembered.length >= rememberedCount || asked > remembered.length) return; // it is being read
  asked += MORE;
  act(readPanel);
}

/** Entries of the panel that hold the words; all of them for none. */
export function searchRemembered(wanted: string): void {
  asked = FIRST;
  state.set({ wanted });
  act(readPanel);
}

/** How often something was noticed: what was read meanwhile may be without it. */
export const noticedCount = (): number => noticedSoFar;

/** Adds what a round has just found, so that it is seen before the next reading. */
export function noticed(proposed: readonly Fact[], stored: readonly Fact[]): void {
  turn += 1;
  noticedSoFar += 1;
  const { facts, proposals, waiting } = state.get();
  const known = new Set([...facts, ...proposals, ...waiting.facts].map((fact) => fact.id));
  const fresh = proposed.filter((fact) => !known.has(fact.id));
  const all = waiting.facts.length === waiting.total;
  state.set({
    proposals: [...proposals, ...fresh],
    facts: [...facts, ...stored.filter((fact) => !known.has(fact.id))],
    waiting: {
      ...waiting,
      facts: all ? [...waiting.facts, ...fresh] : waiting.facts,
      total: waiting.total + fresh.length,
    },
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

/** Of two that exclude each other one holds: the other becomes a thing of the past, or makes way under its key. */
export async function choose({ fact, other, why }: Conflict, chosen: Fact): Promise<void> {
  if (chosen.id === other.id) return end(fact);
  await call("confirm_fact", { id: fact.id });
  if (why === "value") return refreshFacts();
  return end(other);
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

/** Forgets it, or the message it came from with all that was learned from that, and looks whether it is gone. */
export async function forget(fact: Fact, withSource = false): Promise<void> {
  const which = withSource ? { message_id: fact.source_message_id } : { fact_id: fact.id };
  const receipt = await call<Receipt>("forget", which);
  const left = await call<Record<string, number>>("count_mentions", { words: fact.value });
  await refreshFacts();
  if (withSource) await refreshAll();
  offerUndo(receipt, "forgotten", t.panel.forgotten(fact.value), withSource ? refreshAll : refreshFacts, {
    details: [
      proofOf(left),
      ...receipt.beyond.filter((code) => code !== "source_message").map((code) => t.panel.beyond[code] ?? code),
    ],
  });
}

/** In words, what still holds the same words: a short value may stand in texts that have nothing to do with it. */
function proofOf(left: Readonly<Record<string, number>>): string {
  const { messages = 0, message_versions: versions = 0, facts = 0, sessions = 0, summaries = 0, ...rest } = left;
  const others = Object.values(rest).reduce((sum, count) => sum + count, 0);
  const counts = { messages: Math.max(messages, versions), facts, sessions, summaries, others };
  const places = Object.entries(counts).flatMap(([place, n]) => (n ? [tb.places[place as keyof typeof counts](n)] : []));
  return places.length ? tb.stillHeld(listed(places)) : tb.provenGone;
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
  const { panel, wanted, remembered, waiting } = state.get();
  if (open === panel) return state.set({ drawer: false });
  asked = FIRST;
  askedWaiting = FIRST_WAITING;
  // It opens with the beginning of what was read before, unless that was found for words.
  const beginning = wanted ? [] : remembered.slice(0, FIRST);
  state.set({
    panel: open,
    drawer: false,
    wanted: "",
    remembered: beginning,
    waiting: { ...waiting, facts: waiting.facts.slice(0, FIRST_WAITING) },
  });
  if (open) act(readPanel);
}

export async function readNamespaces(): Promise<void> {
  const spaces = await call<Namespace[]>("list_namespaces");
  state.set({ manyValued: spaces.filter((space) => !space.single_valued).map((space) => space.prefix) });
}

export function holdsMany(key: string): boolean {
  return state.get().manyValued.some((prefix) => key === prefix || (prefix.endsWith("::") && key.startsWith(prefix)));
}
