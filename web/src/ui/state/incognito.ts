/**
 * The incognito chat. It lies in the memory of this page and its worker alone: no draft, no place, no picture of it is
 * kept, and it is gone when it is closed, when this tab is, or when the tab that keeps the memory is.
 */

import { uuid7 } from "../../host/ids";
import { t } from "../i18n";
import { dropDraft } from "./drafts";
import { act, call, memory, toast } from "./memory";
import { openNext, openSession } from "./sessions";
import { state } from "./state";
import { emptyWindow } from "./window";

let opened: Promise<unknown> = Promise.resolve();

export function openIncognito(): void {
  const { incognito } = state.get();
  if (incognito) {
    act(() => openSession(incognito));
  } else {
    const id = uuid7();
    opened = call("open_incognito", { id });
    act(() => opened);
    state.set({ incognito: id, current: id, ...emptyWindow(), target: null, drawer: false });
  }
  document.querySelector<HTMLTextAreaElement>("#message")?.focus();
}

/** Nothing may be said in it before it is there. */
export const whenOpened = (): Promise<unknown> => opened;

export async function closeIncognito(): Promise<void> {
  const { incognito: id } = state.get();
  if (id === null) return;
  await leave(id);
  document.querySelector<HTMLTextAreaElement>("#message")?.focus();
  await (await memory()).call("close_incognito", { id });
}

/** The tab that kept the memory, and this chat in it, has gone. */
export async function incognitoLost(id: string): Promise<void> {
  if (state.get().incognito !== id) return;
  toast({ text: t.problems["IncognitoEndedError"] ?? "", tone: "problem" });
  await leave(id);
}

async function leave(id: string): Promise<void> {
  const { current, outgoing } = state.get();
  dropDraft(id);
  state.set({
    incognito: null,
    outgoing: outgoing.filter((message) => message.session_id !== id),
    ...(current === id ? { ...emptyWindow(), draft: "" } : {}),
  });
  if (current === id) await openNext();
}
