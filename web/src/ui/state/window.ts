/**
 * The part of a chat that is read and shown: an unbroken run of its messages. It begins small, at the end or around the
 * message that was gone to, grows where the reader scrolls, and lets go of its other end when it gets long.
 */

import type { ChatPage, Fact, Message } from "../model";
import { refreshBasis } from "./basis";
import { distinct, noticedCount } from "./facts";
import { incognitoLost, whenOpened } from "./incognito";
import { act, asProblem, call } from "./memory";
import { isFresh, openNext, openSession, scopeOf } from "./sessions";
import { type State, state } from "./state";

/** Some windows full. */
const FIRST = 30;
const MORE = 40;
const MOST = 240;
const TRIES = 3;

type Messages = readonly Message[];
type Shown = Partial<ChatPage> & { messages: Messages };

/** Only the newest refresh may answer, and none that was asked for before other messages were shown. */
let refreshes = 0;
let changes = 0;
let growing = false;

type Window = Pick<State, "messages" | "branches" | "earlier" | "later" | "facts" | "proposals">;

export function emptyWindow(): Window {
  changes += 1;
  return { messages: [], branches: {}, earlier: false, later: false, facts: [], proposals: [] };
}

function read(session: string, limit: number, place: { until?: string; after?: string; around?: string } = {}): Promise<ChatPage> {
  return call("read_chat", { session_id: session, limit, ...place, ...scopeOf(session) });
}

/** A part of the chat in the place of what was shown. */
function windowOf(page: ChatPage): Window & Pick<State, "opened"> {
  const { alternatives: branches, earlier, later } = page;
  const { opened } = state.get();
  const session = opened && opened.id === page.session.id && opened.title === page.session.title ? opened : page.session;
  return { opened: session, messages: kept(page.messages), branches, earlier, later, ...learned(page.facts, page.corrected) };
}

function learned(facts: readonly Fact[], corrected: readonly Fact[]): Pick<Window, "facts" | "proposals"> {
  const [proposals, current] = [true, false].map((proposed) => facts.filter(({ status }) => (status === "candidate") === proposed));
  return { facts: distinct([...(current ?? []), ...corrected]), proposals: proposals ?? [] };
}

export async function refreshMessages(): Promise<void> {
  const turn = ++refreshes;
  const { current } = state.get();
  if (current === null || isFresh(current)) return;
  if (scopeOf(current).incognito) await whenOpened();
  for (;;) {
    const before = [changes, noticedCount()];
    const { later, messages } = state.get();
    const limit = Math.max(FIRST, messages.length);
    // Where newer ones follow, the last one shown stays the last, unless it is gone.
    const last = later ? messages.at(-1)?.id : undefined;
    const upTo = last && (await read(current, limit, { until: last }).catch(ifMissing));
    const found = upTo || (await read(current, limit).catch(unlessGone));
    if (turn !== refreshes || state.get().current !== current) return;
    if (!found) return openNext(); // deleted meanwhile, perhaps in another tab
    if (String(before) !== String([changes, noticedCount()])) continue;
    state.set(windowOf(found));
    return refreshBasis();
  }
}

export const showEarlier = (): Promise<void> =>
  grow(async (session, { messages: [first] }) => {
    const found = await read(session, MORE + 1, { until: (first as Message).id });
    const { messages } = state.get();
    if (messages[0]?.id !== first?.id) return null;
    const all = [...found.messages.slice(0, -1), ...messages];
    const trimmed = all.length > MOST ? { later: true } : {};
    return { ...found, later: state.get().later, messages: all.slice(0, MOST), ...trimmed };
  });

export const showLater = (): Promise<void> =>
  grow(async (session, before) => {
    const last = before.messages.at(-1) as Message;
    const found = await read(session, MORE, { after: last.id });
    const { messages } = state.get();
    if (messages.at(-1)?.id !== last.id) return null;
    if (found.messages.length === 0) return { messages }; // nothing after it, as on a branch that is not on screen
    const all = [...messages, ...found.messages];
    const trimmed = all.length > MOST ? { earlier: true } : {};
    return { ...found, earlier: state.get().earlier, messages: all.slice(-MOST), ...trimmed };
  });

/** One step at a time. It is taken again where other messages were shown meanwhile. */
async function grow(step: (session: string, before: { messages: Messages }) => Promise<Shown | null>): Promise<void> {
  if (growing) return;
  growing = true;
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { current, messages } = state.get();
      if (current === null || messages.length === 0) return;
      const before = noticedCount();
      const shown = await step(current, { messages });
      if (!shown || state.get().current !== current || noticedCount() !== before) continue;
      if (shown.messages !== state.get().messages) extend(shown);
      break;
    }
  } finally {
    growing = false;
  }
}

/** What was read beside what is shown joins it; what belongs to messages that are no longer shown goes. */
function extend({ messages, earlier, later, alternatives, facts = [], corrected = [] }: Shown): void {
  changes += 1;
  const before = state.get();
  const here = new Set(messages.map(({ id }) => id));
  const isHere = ({ source_message_id: id }: Fact): boolean => id !== null && here.has(id);
  const known = distinct([...before.facts, ...before.proposals, ...facts]);
  const elsewhere = before.facts.filter((fact) => !isHere(fact)); // what the proposals would correct
  state.set({
    messages: kept(messages),
    branches: { ...before.branches, ...alternatives },
    earlier: earlier ?? before.earlier,
    later: later ?? before.later,
    ...learned(known.filter(isHere), [...elsewhere, ...corrected]),
  });
  act(refreshBasis);
}

/** Back to the end of the chat. */
export async function showNewest(): Promise<void> {
  const { current, later } = state.get();
  if (!later || current === null) return;
  const found = await read(current, FIRST);
  if (state.get().current === current) show(found);
}

function show(page: ChatPage): void {
  changes += 1;
  state.set(windowOf(page));
  act(refreshBasis);
}

/** What is said now is put at the end; of what came long before it, some is let go of. */
export function makeRoom(): void {
  const { messages, later } = state.get();
  if (later) act(showNewest);
  else if (messages.length > MOST) extend({ messages: messages.slice(-MORE), earlier: true });
}

/** Opens the chat of a message, brings the message into view and marks it, or the words in it. */
export async function goToMessage(id: string, words?: string): Promise<void> {
  // Of an incognito chat only what is on screen can be gone to.
  const shown = state.get().messages.find((message) => message.id === id);
  const message = shown ?? (await call<Message>("get_message", { id }));
  const session = message.session_id;
  await openSession(session);
  if (!state.get().messages.some((shown) => shown.id === id)) await showAround(session, id);
  state.set({ target: { message: id, at: Date.now(), ...(words && { words }) } });
}

async function showAround(session: string, id: string): Promise<void> {
  const found = await read(session, FIRST, { around: id });
  if (state.get().current === session) show(found);
}

/** What has not changed is not rendered again. Notes about what was changed on arrival are told only then. */
function kept(messages: Messages): Message[] {
  const known = new Map(state.get().messages.map((message) => [message.id, message]));
  return messages.map((read) => {
    const shown = known.get(read.id);
    if (!shown) return read;
    const same = shown.content === read.content && shown.status === read.status && shown.edited === read.edited;
    return same ? shown : { ...read, notes: shown.notes };
  });
}

function ifMissing(error: unknown): undefined {
  if (asProblem(error).name !== "NotFoundError") throw error;
}

async function unlessGone(error: unknown): Promise<null> {
  const { name } = asProblem(error);
  const { incognito } = state.get();
  if (name === "IncognitoEndedError" && incognito) await incognitoLost(incognito);
  else ifMissing(error);
  return null;
}
