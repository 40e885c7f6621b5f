/** The last conversation, shown before Python has started: read-only, and replaced by what the memory then says. */

import { Connection } from "../../host/idb";
import { create, database } from "../../profiles/current";
import { type KeptView, keepView, readView } from "../../host/view";
import type { Message, Session } from "../model";
import { call, memoryNow } from "./memory";
import { isIncognito } from "./sessions";
import { state } from "./state";
import { emptyWindow } from "./window";

const MESSAGES = 30;
const SESSIONS = 40;
const MAX_CHARACTERS = 200_000 / 3; // at most 200 kB, whatever the script
const KEEP_MS = 1_000;

interface View {
  current: string;
  sessions: Session[];
  messages: Message[];
}

/** Only what the page shows of them. */
const sessionShown = ({ id, title, created_at, last_active_at, status }: Session): Session => ({
  id,
  title,
  created_at,
  last_active_at,
  status,
});
const messageShown = ({ id, session_id, parent_id, created_at, role, content, edited, status }: Message): Message => ({
  id,
  session_id,
  parent_id,
  created_at,
  role,
  content,
  edited,
  status,
  notes: [],
});

let timer: ReturnType<typeof setTimeout> | undefined;

/** Without locks nothing is kept. */
const stored = (): Connection | null => ("locks" in navigator ? Connection.shared(database, create) : null);

export async function showEarly(): Promise<void> {
  const place = stored();
  const kept = place && (await readView(place).catch(() => null));
  const { current: begun, loaded, failure } = state.get();
  if (!kept?.text || loaded || failure) return;
  const { current, sessions, messages } = JSON.parse(kept.text) as View;
  const same = begun === null || begun === current;
  state.set({ early: true, sessions, ...(same ? { current, messages } : {}) });
}

/** Where the memory cannot be opened, its last conversation would look as if it were there. */
export function hideEarly(): void {
  if (state.get().early) state.set({ early: false, sessions: [], current: null, ...emptyWindow() });
}

/** Keeps what is shown each time something has become durable, and when another chat is opened. */
export function watchEarly(): void {
  let shown: string | null = null;
  memoryNow()?.on("saved", soon);
  state.watch(() => {
    const { loaded, current } = state.get();
    if (!loaded || current === shown) return;
    shown = current;
    soon();
  });
}

function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void keep().catch(() => undefined), KEEP_MS);
}

async function keep(): Promise<void> {
  const place = stored();
  const { loaded, current } = state.get();
  if (!place || !loaded || current === null || isIncognito(current) || document.visibilityState === "hidden") return;
  // Read from the memory after the mark: what is forgotten from now on makes the mark another one.
  const { mark, text: former }: KeptView = await readView(place);
  const [sessions, messages] = await Promise.all([
    call<Session[]>("list_sessions", { limit: SESSIONS }),
    call<Message[]>("get_recent_messages", { session_id: current, limit: MESSAGES }),
  ]);
  if (memoryNow()?.status().state !== "saved") return; // the save to come asks for it again
  const text = asText({
    current,
    sessions: sessions.map(sessionShown),
    messages: messages.filter(({ status }) => status !== "streaming").map(messageShown),
  });
  if (text !== former) await keepView(place, text, mark);
}

/** Without the oldest messages if there is too much. */
function asText(view: View): string {
  let text = JSON.stringify(view);
  for (let { messages } = view; text.length > MAX_CHARACTERS && messages.length; ) {
    messages = messages.slice(1);
    text = JSON.stringify({ ...view, messages });
  }
  return text;
}
