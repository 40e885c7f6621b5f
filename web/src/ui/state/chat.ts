/** Sending messages and following their rounds. */

import { WaitingMessages } from "../../client/waiting";
import { uuid7 } from "../../host/ids";
import { create, database } from "../../profiles/current";
import { counted, t } from "../i18n";
import type { Fact, Message, Outgoing, Receipt } from "../model";
import { noticed } from "./facts";
import { act, asProblem, call, dismissToast, memory, memoryNow } from "./memory";
import { isOutdated } from "./outdated";
import { isIncognito, refreshAll, refreshSessions, scopeOf, sessionForSending } from "./sessions";
import { focusNext } from "./focus";
import { delays, state, streams } from "./state";
import { offerUndo } from "./undo";
import { makeRoom, refreshMessages } from "./window";

const DELTA_MS = 50;

/** Without locks nothing is kept. */
const waiting = "locks" in navigator ? new WaitingMessages(database, create) : null;

/** Messages of an earlier visit that were never answered: shown at once, sent by the memory when it is open. */
export async function showUnanswered(): Promise<void> {
  const left = (await waiting?.list().catch(() => null)) ?? [];
  for (const { message_id: id, session_id, ...sent } of left) {
    if (session_id) void sessionExists(session_id);
    go({ id, session_id, ...sent });
  }
}

/** A chat begun before the memory was open may never have been made. */
async function sessionExists(id: string): Promise<void> {
  await (await memory()).call("create_session", { id });
}

export function send(text: string): void {
  const { current, early } = state.get();
  const message: Outgoing = { id: uuid7(), session_id: current, text, at: Date.now() };
  // What is shown from the last visit may be more than could be restored of the memory.
  if (early && current && !isIncognito(current)) void sessionExists(current);
  makeRoom();
  go(message);
}

/** Answers once more: the new answer begins a branch beside the old one. */
export function answerAgain({ id: again, session_id }: Message): void {
  const id = uuid7();
  focusNext(id);
  state.set({ later: false });
  go({ id, session_id, text: "", at: Date.now(), again });
}

/** Another wording of a message begins a branch beside it. */
export function sendEdit({ id: instead_of, session_id, parent_id }: Message, text: string): void {
  const id = uuid7();
  focusNext(id);
  state.set({ messages: upTo(state.get().messages, parent_id), later: false });
  go({ id, session_id, text, at: Date.now(), instead_of });
}

export function sendAgain(message: Outgoing): void {
  const { problem: _, kept: __, ...again } = message;
  drop(message);
  go(again);
}

export function takeBack(message: Outgoing): void {
  drop(message);
  if (message.instead_of) act(refreshMessages);
}

function drop(message: Outgoing): void {
  state.set({ outgoing: state.get().outgoing.filter((other) => other.id !== message.id) });
}

function go(message: Outgoing): void {
  begin(message);
  follow(message);
}

/** Rounds of this page whose first message begins a branch. */
const branching = new Set<string>();

export async function stop(): Promise<void> {
  const { running, current } = state.get();
  const mine = [...running].filter(([, session]) => session === null || session === current).map(([id]) => id);
  for (const id of mine) await memoryNow()?.cancel(id);
}

function begin(message: Outgoing): void {
  if (message.again || message.instead_of) branching.add(message.id);
  const { outgoing, running } = state.get();
  state.set({
    outgoing: message.again ? outgoing : [...outgoing, message],
    running: new Map(running).set(message.id, message.session_id),
  });
}

function follow(message: Outgoing): void {
  const { id, session_id, text, at, instead_of, again } = message;
  const sent = { message_id: id, session_id, text, ...(instead_of && { instead_of }), ...(again && { again }) };
  // At once, as the memory itself may still be a while.
  const kept = isIncognito(session_id) ? undefined : waiting?.add({ ...sent, at });
  kept?.then(
    () => revise(id, { kept: true }),
    () => undefined,
  );
  const round = async (): Promise<void> => {
    const open = await memory();
    await sessionForSending(session_id);
    await open.send({ ...sent, ...scopeOf(session_id) });
  };
  round()
    .catch((error: unknown) => {
      const problem = asProblem(error);
      if (isOutdated(problem)) return;
      if (again) act(() => Promise.reject(error));
      else revise(id, { problem });
    })
    .finally(() => ended(id));
}

function revise(id: string, changes: Partial<Outgoing>): void {
  const { outgoing } = state.get();
  state.set({ outgoing: outgoing.map((other) => (other.id === id ? { ...other, ...changes } : other)) });
}

function ended(id: string): void {
  const running = new Map(state.get().running);
  if (running.delete(id)) state.set({ running });
}

/** What happens in a round, of this tab or another. */
export function receive(event: Record<string, unknown>): void {
  const request = String(event["request_id"]);
  const { incognito } = event;
  if (incognito !== undefined && incognito !== state.get().incognito) return; // another tab's
  if (event["type"] === "message") receiveMessage(event["message"] as Message, request);
  else if (event["type"] === "proposals") noticed(event["facts"] as Fact[], event["stored"] as Fact[]);
  else if (event["type"] === "forgotten") forgotten(event as unknown as Forgotten);
  else if (event["type"] === "delta") addDelta(event["message_id"] as string, event["text"] as string);
  else if (event["type"] === "retry") delayed(event as unknown as Retry);
  else if (event["type"] === "waiting") delays.set({ [event["message_id"] as string]: { kind: "turn" } });
}

interface Retry {
  message_id: string;
  error: string;
  wait_ms: number;
  attempt: number;
  of: number;
}

function delayed({ message_id, error: why, wait_ms, attempt, of }: Retry): void {
  delays.set({ [message_id]: { kind: "retry", why, until: Date.now() + wait_ms, attempt, of } });
}

/** `undone` is what the answer should read once it is taken back. */
type Forgotten = Receipt & { message_id: string; undone: string };

/** The toast that offers to take the last forgetting back, and what it takes back, newest first. */
let offered: { toast: string; receipts: readonly Forgotten[] } | null = null;

/** The user asked for it in words. What is forgotten on a second “yes” joins the offer that is still open. */
function forgotten(receipt: Forgotten): void {
  const open = offered && state.get().toasts.some(({ id }) => id === offered?.toast) ? offered : null;
  if (open) dismissToast(open.toast);
  const before = open?.receipts ?? [];
  const receipts = [receipt, ...before];
  const sum = (table: string): number => receipts.reduce((total, { counts }) => total + (counts[table] ?? 0), 0);
  const counts = { sessions: sum("sessions"), messages: sum("messages"), facts: sum("facts") };
  act(refreshAll);
  const back = async (): Promise<void> => {
    for (const { message_id, undone } of receipts) {
      await call("edit_message", { message_id, content: undone }).catch(() => undefined); // it may be gone itself
    }
    await refreshAll();
  };
  const id = offerUndo(receipt, "forgotten", t.chat.forgotten(counted(counts)), back, { before });
  offered = { toast: id, receipts };
}

function receiveMessage(message: Message, request: string): void {
  const { current, messages, later, outgoing, running } = state.get();
  const incognito = isIncognito(message.session_id);
  const here = message.session_id === current || (current === null && !incognito);
  const status = message.role === "assistant" && message.status !== "streaming" ? "ended" : "goes on";
  const next = new Map(running);
  if (status === "ended") next.delete(request);
  else next.set(request, message.session_id);
  state.set({
    running: next,
    outgoing: outgoing.filter((other) => other.id !== message.id),
    ...(here ? { current: message.session_id, messages: placed(messages, message, later) } : {}),
  });
  if (here && branching.delete(request)) act(refreshMessages);
  if (status === "ended") dropStream(message.id);
  if (!incognito && (message.role === "user" || status === "ended")) void refreshSessions();
}

/**
 * A new one takes the place of what followed the same message before: that is another branch now. `later`: the end of the
 * chat, where it belongs, is not shown.
 */
function placed(messages: readonly Message[], message: Message, later: boolean): readonly Message[] {
  const at = messages.findIndex((other) => other.id === message.id);
  if (at >= 0) return messages.with(at, message);
  return later ? messages : [...upTo(messages, message.parent_id), message];
}

/** Up to the message with this id; null is before the first. */
function upTo(messages: readonly Message[], id: string | null): readonly Message[] {
  const at = messages.findIndex((other) => other.id === id);
  return at < 0 && id !== null ? messages : messages.slice(0, at + 1);
}

/** Pieces are shown a few times a second, however fast they come. */
let arrived: Record<string, string> = {};
let timer: ReturnType<typeof setTimeout> | undefined;

function addDelta(id: string, text: string): void {
  if (delays.get()[id]) delays.set({ [id]: undefined });
  arrived[id] = (arrived[id] ?? streams.get()[id] ?? "") + text;
  timer ??= setTimeout(() => {
    timer = undefined;
    const pieces = arrived;
    arrived = {};
    streams.set(pieces);
  }, DELTA_MS);
}

function dropStream(id: string): void {
  delete arrived[id];
  if (delays.get()[id]) delays.set({ [id]: undefined });
  if (id in streams.get()) streams.set({ [id]: "" });
}
