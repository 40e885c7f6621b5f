/** Chats: listing, opening, renaming, deleting. */

import { uuid7 } from "../../host/ids";
import { t } from "../i18n";
import type { Fact, Message, Receipt, Session } from "../model";
import { readNamespaces, refreshFacts } from "./facts";
import { dropDraft } from "./drafts";
import { act, call } from "./memory";
import { whenOpened } from "./incognito";
import { state } from "./state";
import { keepInTab, keptInTab } from "./tab";
import { offerUndo } from "./undo";
import { emptyWindow, goToMessage, refreshMessages } from "./window";

const SESSIONS_PAGE = 40;
/** No more are read again after each change, and rendered. */
const MOST_SESSIONS = 120;
const PLACE = "place";
const TITLE_IN_SENTENCE = 36;

/** Which part of the list is asked for. */
let [from, shown] = [0, SESSIONS_PAGE];
/** Only the newest request may answer. */
let listing = 0;
/** Sessions made here that the memory has not been told of. */
const fresh = new Set<string>();

export const isFresh = (id: string): boolean => fresh.has(id);

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
  const [offset, limit] = [from, shown];
  const sessions = await call<Session[]>("list_sessions", { limit: limit + 1, offset, query: query || null });
  if (turn !== listing) return;
  // Others have gone meanwhile.
  if (sessions.length === 0 && offset > 0) return listFromStart();
  const known = new Map(state.get().sessions.map((session) => [session.id, session]));
  const listed = sessions.slice(0, limit).map((session) => unlessSame(known.get(session.id), session));
  state.set({ sessions: listed, sessionsBefore: offset, moreSessions: sessions.length > limit });
}

function listFromStart(): Promise<void> {
  [from, shown] = [0, SESSIONS_PAGE];
  return refreshSessions();
}

/** What has not changed is not rendered again. */
function unlessSame(known: Session | undefined, read: Session): Session {
  if (!known) return read;
  const same = known.title === read.title && known.last_active_at === read.last_active_at && known.status === read.status;
  return same ? known : read;
}

/** Puts the branch with this message on screen; the chat goes on from there. */
export async function showBranch(id: string): Promise<void> {
  const { current, later } = state.get();
  await call("show_branch", { message_id: id, ...scopeOf(current) });
  await (later ? goToMessage(id) : refreshFacts());
}

export function refreshAll(): Promise<unknown> {
  return Promise.all([refreshSessions(), refreshFacts()]);
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
  await Promise.all([readNamespaces(), refreshFacts()]);
  state.set({ loaded: true, early: false });
}

export async function openSession(id: string): Promise<void> {
  if (id !== state.get().current) state.set({ current: id, ...emptyWindow(), target: null });
  state.set({ drawer: false });
  await refreshMessages();
}

/** An empty chat; it is stored with its first message. */
export function newChat(): void {
  const id = uuid7();
  fresh.add(id);
  state.set({ current: id, ...emptyWindow(), target: null, drawer: false });
  document.querySelector<HTMLTextAreaElement>("#message")?.focus();
}

/** Where the next message goes. Null: to the most recent chat, which is not known yet. */
export async function sessionForSending(id: string | null): Promise<string | null> {
  if (isIncognito(id)) await whenOpened();
  if (id !== null && fresh.delete(id)) await call("create_session", { id });
  return id;
}

/** Older ones; where many are shown, the newest make way, and come back with `showNewerSessions`. */
export function showMoreSessions(): void {
  const { sessions, sessionsBefore, moreSessions } = state.get();
  if (!moreSessions || shown > sessions.length || from !== sessionsBefore) return; // they are being read
  if (shown < MOST_SESSIONS) shown += SESSIONS_PAGE;
  else from += SESSIONS_PAGE;
  act(refreshSessions);
}

export function showNewerSessions(): void {
  if (from === 0 || from !== state.get().sessionsBefore) return;
  from = Math.max(0, from - SESSIONS_PAGE);
  act(refreshSessions);
}

export function search(query: string): void {
  state.set({ query });
  act(listFromStart);
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

export async function openNext(): Promise<void> {
  await listFromStart();
  const next = state.get().sessions[0];
  if (next) await openSession(next.id);
  else state.set({ current: null, ...emptyWindow() });
}

export async function forgetMessage(message: Message): Promise<void> {
  const receipt = await call<Receipt>("forget", { message_id: message.id });
  await refreshAll();
  offerUndo(receipt, "message", t.chat.messageForgotten, refreshAll, {
    details: receipt.beyond.map((code) => t.panel.beyond[code] ?? code),
  });
}
