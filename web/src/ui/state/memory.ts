/** The page's hold on the memory: calls that wait until it has been opened. */

import type { PyMemory } from "../../client/types";
import type { Problem } from "../model";
import { sentence } from "../i18n";
import { isOutdated } from "./outdated";
import { state, type Toast } from "./state";
import { uuid7 } from "../../host/ids";

const TOAST_MS = { plain: 6_000, problem: 12_000 };

let provide: (memory: PyMemory) => void;
let opened: PyMemory | null = null;
const opening = new Promise<PyMemory>((resolve) => (provide = resolve));

export function provideMemory(memory: PyMemory): void {
  opened = memory;
  provide(memory);
}

/** Null until the worker has been started. */
export const memoryNow = (): PyMemory | null => opened;
export const memory = (): Promise<PyMemory> => opening;

export async function call<T>(method: string, kwargs: Record<string, unknown> = {}): Promise<T> {
  return (await (await opening).call(method, kwargs)) as T;
}

export function asProblem(error: unknown): Problem {
  const { name, message, code } = error as Partial<Problem>;
  return { name: name ?? "Error", message: message ?? String(error), ...(code ? { code } : {}) };
}

/** Runs something the user asked for; what goes wrong is shown. */
export function act(work: () => Promise<unknown>): void {
  work().catch((error: unknown) => {
    const problem = asProblem(error);
    if (!isOutdated(problem)) toast({ text: sentence(problem), tone: "problem" });
  });
}

/** Returns its id. */
export function toast(options: Partial<Toast> & { text: string }): string {
  const until = Date.now() + TOAST_MS[options.tone ?? "plain"];
  const entry: Toast = { id: uuid7(), actions: [], until, tone: "plain", ...options };
  state.set({ toasts: [...state.get().toasts.slice(-2), entry] });
  return entry.id;
}

export function dismissToast(id: string): void {
  state.set({ toasts: state.get().toasts.filter((entry) => entry.id !== id) });
}
