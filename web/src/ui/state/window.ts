/**
 * The part of a chat that is read and shown: an unbroken run of its messages. It begins small, at the end or around the
 * message that was gone to, grows where the reader scrolls, and lets go of its other end when it gets long.
 */

import type { Message } from "../model";
import { refreshFacts } from "./facts";
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
type Shown = { messages: Messages; earlier?: boolean; later?: boolean };

/** Only the newest refresh may answer, and none that was asked for before other messages were shown. */
let refreshes = 0;
let changes = 0;
let growing = false;

export function emptyWindow(): Required<Shown> & Pick<State, "branches"> {
  changes += 1;
  return { messages: [], branches: {}, earlier: false, later: false };
}

function show(shown: Shown): void {
  changes += 1;
  state.set({ ...shown, messages: kept(shown.messages) });
}

function read(session: string, limit: number, place: { until?: string; after?: string } = {}): Promise<Message[]> {
  return call("get_recent_messages", { session_id: session, limit, ...place, ...scopeOf(session) });
}

export async function refreshMessages(): Promise<void> {
  const turn = ++refreshes;
  const { current } = state.get();
  if (current === null || isFresh(current)) return;
  if (scopeOf(current).incognito) await whenOpened();
  for (;;) {
    const before = changes;
    const { later, messages } = state.get();
    const limit = Math.max(FIRST, messages.length);
    // Where newer ones follow, the last one shown stays the last, unless it is gone.
    const last = later ? messages.at(-1)?.id : undefined;
    // Read meanwhile. Where that fails the messages do too, and say why.
    const branching = call<State["branches"]>("alternatives", { session_id: current, ...scopeOf(current) }).catch(() => ({}));
    const upTo = last && (await read(current, limit + 1, { until: last }).catch(ifMissing));
    const found = upTo || (await read(current, limit + 1).catch(unlessGone));
    const branches = await branching;
    if (turn !== refreshes || state.get().current !== current) return;
    if (!found) return openNext(); // deleted meanwhile, perhaps in another tab
    if (before !== changes) continue;
    state.set({ messages: kept(found.slice(-limit)), branches, earlier: found.length > limit, later: Boolean(upTo) });
    return;
  }
}

/** The open chat, and what was learned from its messages. */
export async function refreshChat(): Promise<void> {
  await refreshMessages();
  await refreshFacts();
}

export const showEarlier = (): Promise<void> =>
  grow(async (session, { messages: [first] }) => {
    const found = (await read(session, MORE + 2, { until: (first as Message).id })).slice(0, -1);
    const { messages } = state.get();
    if (messages[0]?.id !== first?.id) return null;
    const all = [...found.slice(-MORE), ...messages];
    const trimmed = all.length > MOST ? { later: true } : {};
    return { messages: all.slice(0, MOST), earlier: found.length > MORE, ...trimmed };
  });

export const showLater = (): Promise<void> =>
  grow(async (session, before) => {
    const last = before.messages.at(-1) as Message;
    const found = await read(session, MORE + 1, { after: last.id });
    const { messages } = state.get();
    if (messages.at(-1)?.id !== last.id) return null;
    if (found.length === 0) return { messages }; // nothing after it, as on a branch that is not on screen
    const all = [...messages, ...found.slice(0, MORE)];
    const trimmed = all.length > MOST ? { earlier: true } : {};
    return { messages: all.slice(-MOST), later: found.length > MORE, ...trimmed };
  });

/** One step at a time. It is taken again where other messages were shown meanwhile. */
async function grow(step: (session: string, before: { messages: Messages }) => Promise<Shown | null>): Promise<void> {
  if (growing) return;
  growing = true;
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { current, messages } = state.get();
      if (current === null || messages.length === 0) return;
      const shown = await step(current, { messages });
      if (!shown || state.get().current !== current) continue;
      if (shown.messages !== state.get().messages) show(shown);
      break;
    }
  } finally {
    growing = false;
  }
  await refreshFacts();
}

/** Back to the end of the chat. */
export async function showNewest(): Promise<void> {
  const { current, later } = state.get();
  if (!later || current === null) return;
  const found = await read(current, FIRST + 1);
  if (state.get().current !== current) return;
  show({ messages: found.slice(-FIRST), earlier: found.length > FIRST, later: false });
  await refreshFacts();
}

/** What is said now is put at the end; of what came long before it, some is let go of. */
export function makeRoom(): void {
  const { messages, later } = state.get();
  if (later) act(showNewest);
  else if (messages.length > MOST) show({ messages: messages.slice(-MORE), earlier: true });
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
  const [until, after, newest] = await Promise.all([
    read(session, FIRST + 1, { until: id }),
    read(session, FIRST + 1, { after: id }),
    read(session, 1),
  ]);
  if (state.get().current !== session) return;
  const messages = [...until.slice(-FIRST), ...after.slice(0, FIRST)];
  show({ messages, earlier: until.length > FIRST, later: messages.at(-1)?.id !== newest[0]?.id });
  await refreshFacts();
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
