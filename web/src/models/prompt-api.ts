/** The model that the browser brings itself (Prompt API), where it has one. */

import { type PageModel, PageModelError } from "./page-model";
import type { PortDelta, PortTurn } from "./port";

export type Availability = "unavailable" | "downloadable" | "downloading" | "available";

interface Session {
  promptStreaming(input: string, options: { signal: AbortSignal }): ReadableStream<string>;
  destroy(): void;
  readonly contextUsage?: number;
  readonly inputUsage?: number;
}

interface CreateOptions {
  expectedOutputs?: ReadonlyArray<{ type: "text"; languages: readonly string[] }>;
  initialPrompts?: ReadonlyArray<{ role: string; content: string }>;
  signal?: AbortSignal;
  monitor?(target: EventTarget): void;
}

interface LanguageModel {
  availability(options?: CreateOptions): Promise<Availability>;
  create(options?: CreateOptions): Promise<Session>;
}

const TAUGHT = new Set(["de", "en", "es", "fr", "ja"]);

declare global {
  var LanguageModel: LanguageModel | undefined;
}

/** "absent": this browser does not have the interface. */
export async function availability(): Promise<Availability | "absent"> {
  if (typeof globalThis.LanguageModel?.availability !== "function") return "absent";
  return globalThis.LanguageModel.availability(spoken()).catch((): Availability => "unavailable");
}

/** Makes the browser fetch its model if it has not yet; a click must have led here. `progress` runs from 0 to 1. */
export async function fetchBrowserModel(progress: (share: number) => void, signal: AbortSignal): Promise<void> {
  const session = await provider().create({
    ...spoken(),
    signal,
    monitor: (target) =>
      target.addEventListener("downloadprogress", (event) => progress((event as ProgressEvent).loaded)),
  });
  session.destroy();
}

export function browserModel(): PageModel {
  return { answer, close: () => undefined };
}

async function* answer(turns: readonly PortTurn[], signal: AbortSignal): AsyncGenerator<PortDelta> {
  const said = turns.filter(({ role, content }) => content && (role === "system" || role === "user" || role === "assistant"));
  const question = said.at(-1);
  if (!question) return;
  let session: Session | null = null;
  try {
    const initialPrompts = said.slice(0, -1).map(({ role, content }) => ({ role, content }));
    session = await provider().create({ ...spoken(), initialPrompts, signal });
    const reader = session.promptStreaming(question.content, { signal }).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield { text: piece.value };
    const total = session.contextUsage ?? session.inputUsage;
    yield { finish_reason: "stop", ...(total ? { usage: { total_tokens: Math.round(total) } } : {}) };
  } catch (error) {
    if (signal.aborted) return;
    if ((error as Error).name === "QuotaExceededError") throw new PageModelError("too_long", (error as Error).message);
    throw error;
  } finally {
    session?.destroy();
  }
}

/** Browsers want to know the language of the answers; one that they were not taught is better left unsaid. */
function spoken(): CreateOptions {
  const language = document.documentElement.lang.slice(0, 2);
  return TAUGHT.has(language) ? { expectedOutputs: [{ type: "text", languages: [language] }] } : {};
}

function provider(): LanguageModel {
  if (!globalThis.LanguageModel) throw new PageModelError("no_model", "This browser has no model of its own.");
  return globalThis.LanguageModel;
}
