/** Chats: listing, opening, renaming, deleting. */

import { uuid7 } from "../../host/ids";
import { t } from "../i18n";
import type { Fact, Message, Receipt, Session } from "../model";
import { readNamespaces, refreshFacts } from "./facts";
import { dropDraft } from "./drafts";
import { act, asProblem, call } from "./memory";
import { incognitoLost, whenOpened } from "./incognito";
import { type State, state } from "./state";
import { keepInTab, keptInTab } from "./tab";
import { offerUndo } from "./undo";

const SESSIONS_PAGE = 40;
/** More are not rendered at once unless asked for. */
const MESSAGES_PAGE = 200;
const FARTHEST_JUMP = 20_000;
const PLACE = "place";
const TITLE_IN_SENTENCE = 36;

let shown = SESSIONS_PAGE;
let limit = MESSAGES_PAGE;
/** Only the newest request may answer. */
let listing = 0;
let reading = 0;
/** Sessions made here that the memory has not been told of. */
const fresh = new Set<string>();

export const isIncognito = (id: string | null): boolean => id !== null && id === state.get().incognito;

/** What makes a call work on the incognito chat, if the session is that. */
export const scopeOf = (id: string | null): { incognito?: string } => (id !== null && isIncognito(id) ? { incognito: id } : {});

export const titleOf = (session: Session | undefined): string => session?.title || t.sessions.untitled;

/** For a sentence: cut between words, where there are any. */
function shortened(title: string): string {
  if (title.length <= TITLE_IN_SENTENCE) return title;
  const start = title.slice(0, TITLE_IN_SENTENCE);
  return `${start.replace(/\s+\S*$/, "") || start}…`;
}

export async function refreshSessions(): Promise<void> {
  const turn = ++listing;
  const query = state.get().query.trim();
  const sessions = await call<Session[]>("list_sessions", { limit: shown + 1, query: query || null });
  if (turn === listing) state.set({ sessions: sessions.slice(0, shown), moreSessions: sessions.length > shown });
}

export async function refreshMessages(): Promise<void> {
  const turn = ++reading;
  const { current } = state.get();
  if (current === null || fresh.has(current)) return;
  if (isIncognito(current)) await whenOpened();
  const scope = scopeOf(current);
  const [messages, branches] = await Promise.all([
    call<Message[]>("get_recent_messages", { session_id: current, limit: limit + 1, ...scope }).catch(unlessGone),
    call<State["branches"]>("alternatives", { session_id: current, ...scope }).catch(() => ({})),
  ]);
  if (turn !== reading || state.get().current !== current) return;
  if (!messages) return openNext(); // deleted meanwhile, perhaps in another tab
  const known = new Map(state.get().messages.map((message) => [message.id, message]));
  const merged = messages.slice(-limit).map((message) => unlessSame(known.get(message.id), message));
  state.set({ messages: merged, branches, earlier: messages.length > limit });
}

/** Puts the branch with this message on screen; the chat goes on from there. */
export async function showBranch(id: string): Promise<void> {
  await call("show_branch", { message_id: id, ...scopeOf(state.get().current) });
  await refreshChat();
}

/** The open chat, and what was learned from its messages. */
export async function refreshChat(): Promise<void> {
  await refreshMessages();
  await refreshFacts();
}

export function refreshAll(): Promise<unknown> {
  return Promise.all([refreshSessions(), refreshChat()]);
}

/** A reload goes on with the chat that was open, also where nothing has been said in it yet. */
export function keepPlace(): void {
  const { current, incognito } = state.get();
  keepInTab(PLACE, current && current !== incognito ? { current, fresh: fresh.has(current) } : null);
}

export function findPlace(): void {
  const place = keptInTab<{ current: string; fresh: boolean }>(PLACE);
  if (!place) return;
  if (place.fresh) fresh.add(place.current);
  state.set({ current: place.current });
}

/** The first look into the memory: goes on with the most recent chat unless the user has begun one. */
export async function loadFirst(): Promise<void> {
  await refreshSessions();
  const { current, sessions } = state.get();
  if (current === null) state.set({ current: sessions[0]?.id ?? null });
  await Promise.all([readNamespaces(), refreshChat()]);
  state.set({ loaded: true, early: false });
}

export async function openSession(id: string): Promise<void> {
  if (id !== state.get().current) {
    limit = MESSAGES_PAGE;
    state.set({ current: id, messages: [], branches: {}, earlier: false, target: null });
  }
  state.set({ drawer: false });
  await refreshChat();
}

/** An empty chat; it is stored with its first message. */
export function newChat(): void {
  const id = uuid7();
  fresh.add(id);
  limit = MESSAGES_PAGE;
  state.set({ current: id, messages: [], branches: {}, earlier: false, target: null, drawer: false });
  document.querySelector<HTMLTextAreaElement>("#message")?.focus();
}

/** Where the next message goes. Null: to the most recent chat, which is not known yet. */
export async function sessionForSending(id: string | null): Promise<string | null> {
  if (isIncognito(id)) await whenOpened();
  if (id !== null && fresh.delete(id)) await call("create_session", { id });
  return id;
}

export function showEarlier(): void {
  limit += MESSAGES_PAGE;
  act(refreshChat);
}

export function showMoreSessions(): void {
  shown += SESSIONS_PAGE;
  act(refreshSessions);
}

export function search(query: string): void {
  shown = SESSIONS_PAGE;
  state.set({ query });
  act(refreshSessions);
}

export async function rename(id: string, title: string): Promise<void> {
  await call("rename_session", { session_id: id, title: title.trim() || null });
  await refreshSessions();
}

export async function deleteSession(session: Session, withFacts = false): Promise<void> {
  const wasOpen = state.get().current === session.id;
  const learned = withFacts ? [] : await call<Fact[]>("list_facts", { session_id: session.id });
  const receipt = await call<Receipt>("delete_session", { session_id: session.id, forget_facts: withFacts });
  dropDraft(session.id);
  if (wasOpen && state.get().current === session.id) await openNext();
  else await refreshSessions();
  await refreshFacts();
  const back = async (): Promise<void> => {
    await refreshSessions();
    if (wasOpen) await openSession(session.id);
    await refreshFacts();
  };
  const forgetToo = async (): Promise<void> => {
    await call("undo", { operation_id: receipt.operation_id });
    await deleteSession(session, true);
  };
  const actions = learned.length ? [{ label: t.sessions.forgetToo(learned.length), run: () => act(forgetToo) }] : [];
  const say = withFacts ? t.sessions.deletedWithFacts : t.sessions.deleted;
  offerUndo(receipt, "session", say(shortened(titleOf(session))), back, { actions });
}

/** What has not changed is not rendered again. Notes about what was changed on arrival are told only then. */
function unlessSame(known: Message | undefined, read: Message): Message {
  if (!known) return read;
  const same = known.content === read.content && known.status === read.status && known.edited === read.edited;
  return same ? known : { ...read, notes: known.notes };
}

async function unlessGone(error: unknown): Promise<null> {
  const { name } = asProblem(error);
  const { incognito } = state.get();
  if (name === "IncognitoEndedError" && incognito) await incognitoLost(incognito);
  else if (name !== "NotFoundError") throw error;
  return null;
}

export async function openNext(): Promise<void> {
  await refreshSessions();
  const next = state.get().sessions[0];
  if (next) await openSession(next.id);
  else state.set({ current: null, messages: [], branches: {}, earlier: false });
}

/** Opens the chat of a message, brings the message into view and marks it. */
export async function goToMessage(id: string): Promise<void> {
  const message = await call<Message>("get_message", { id });
  await openSession(message.session_id);
  while (!state.get().messages.some((shown) => shown.id === id) && state.get().earlier && limit < FARTHEST_JUMP) {
    limit *= 2;
    await refreshChat();
  }
  state.set({ target: { message: id, at: Date.now() } });
}

export async function forgetMessage(message: Message): Promise<void> {
  const receipt = await call<Receipt>("forget", { message_id: message.id });
  await refreshAll();
  offerUndo(receipt, "message", t.chat.messageForgotten, refreshAll, {
    details: receipt.beyond.map((code) => t.panel.beyond[code] ?? code),
  });
}
