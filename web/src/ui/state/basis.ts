/** What the answers on screen were made with: memories and tools. */

import type { AnswerBasis, Explanation, ToolCall } from "../model";
import { call } from "./memory";
import { scopeOf } from "./sessions";
import { state } from "./state";
import { Store } from "./store";

/** By id of the answer; one made with nothing has no entry. */
export const basis = new Store<Record<string, AnswerBasis | undefined>>({});

let turn = 0;

export async function refreshBasis(): Promise<void> {
  const mine = ++turn;
  const { messages, current } = state.get();
  const ids = messages.filter(({ role, status }) => role === "assistant" && status !== "streaming").map(({ id }) => id);
  const found = ids.length ? await call<AnswerBasis[]>("answer_basis", { message_ids: ids, ...scopeOf(current) }) : [];
  if (mine !== turn) return;
  const now = new Map(found.map((one) => [one.message_id, one]));
  const before = basis.get();
  const changes: Record<string, AnswerBasis | undefined> = {};
  for (const id of new Set([...Object.keys(before), ...now.keys()])) {
    // What has not changed is not rendered again.
    if (JSON.stringify(before[id]) !== JSON.stringify(now.get(id))) changes[id] = now.get(id);
  }
  if (Object.keys(changes).length) basis.set(changes);
}

export function explain(id: string, session: string): Promise<Explanation> {
  return call<Explanation>("explain", { message_id: id, ...scopeOf(session) });
}

export function toolCallsOf(id: string, session: string): Promise<ToolCall[]> {
  return call<ToolCall[]>("list_tool_calls", { session_id: session, message_id: id, ...scopeOf(session) });
}
