/**
 * A model file run on this device by llama.cpp as WebAssembly (wllama). This script is bundled apart and loaded when such
 * a model answers first. It runs on one thread, since a page that is not isolated from other origins gets no more.
 */

import { LoggerWithoutDebug, Wllama, type WllamaError } from "@wllama/wllama";
import { type PageModel, PageModelError } from "./page-model";
import type { PortDelta, PortTurn } from "./port";

/** Name of the WebAssembly file, beside this script. */
declare const __WASM__: string;

const CONTEXT_TOKENS = 4096;
const ANSWER_TOKENS = 1024;

/** Loads the file; `signal` gives it up. */
export async function loadDevice(file: Blob, signal: AbortSignal): Promise<PageModel> {
  if (!canRun()) throw new PageModelError("no_model", "This browser lacks what running a model file needs.");
  const wllama = new Wllama(
    { default: new URL(__WASM__, import.meta.url).href },
    { suppressNativeLog: true, logger: LoggerWithoutDebug },
  );
  wllama.setCompat(null); // its own would be fetched from another server
  const stop = (): void => void wllama.exit();
  signal.addEventListener("abort", stop);
  try {
    await wllama.loadModel([file], { n_ctx: CONTEXT_TOKENS, n_threads: 1, n_gpu_layers: 0, n_parallel: 1, jinja: true });
  } catch (error) {
    await wllama.exit();
    const message = error instanceof Error ? error.message : String(error);
    throw new PageModelError(/memory|alloc|OOM/i.test(message) ? "memory" : "no_model", message);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return {
    answer: (turns, ending) => (wllama.getChatTemplate() ? chat(wllama, turns, ending) : goOn(wllama, turns, ending)),
    close: () => void wllama.exit(),
  };
}

/** Reading the file piece by piece needs WebAssembly's promise integration. */
export function canRun(): boolean {
  return "Suspending" in WebAssembly;
}

async function* chat(wllama: Wllama, turns: readonly PortTurn[], signal: AbortSignal): AsyncGenerator<PortDelta> {
  const stream = await begun(() =>
    wllama.createChatCompletion({
      messages: turns.map(({ role, content }) => ({ role: role as "user", content })),
      stream: true,
      max_tokens: ANSWER_TOKENS,
      temperature: 0,
      abortSignal: signal,
    }),
  );
  yield* pieces(stream, signal, (chunk) => chunk.choices[0]?.delta.content ?? "");
}

/** A model that was never taught to chat goes on with a transcript, until it would speak for the user. */
async function* goOn(wllama: Wllama, turns: readonly PortTurn[], signal: AbortSignal): AsyncGenerator<PortDelta> {
  const names: Record<string, string> = { user: "User: ", assistant: "Assistant: " };
  const lines = turns.map(({ role, content }) => `${names[role] ?? ""}${content}`);
  const stream = await begun(() =>
    wllama.createCompletion({
      prompt: [...lines, "Assistant:"].join("\n\n"),
      stop: ["\nUser:", "\nAssistant:"],
      stream: true,
      max_tokens: ANSWER_TOKENS / 4,
      temperature: 0,
      abortSignal: signal,
    }),
  );
  yield* pieces(stream, signal, (chunk) => chunk.choices[0]?.text ?? "");
}

interface Chunk {
  choices: ReadonlyArray<{ finish_reason?: string | null }>;
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

async function* pieces<T extends Chunk>(
  stream: AsyncIterable<T>,
  signal: AbortSignal,
  textOf: (chunk: T) => string,
): AsyncGenerator<PortDelta> {
  let first = true;
  try {
    for await (const chunk of stream) {
      const text = first ? textOf(chunk).trimStart() : textOf(chunk);
      const reason = chunk.choices[0]?.finish_reason;
      if (text) {
        first = false;
        yield { text };
      }
      if (chunk.usage) {
        const { prompt_tokens, completion_tokens, total_tokens } = chunk.usage;
        yield { usage: { prompt_tokens, completion_tokens, total_tokens } };
      }
      if (reason) yield { finish_reason: reason };
    }
  } catch (error) {
    if (!signal.aborted) throw known(error);
  }
}

function begun<T>(ask: () => Promise<AsyncIterable<T>>): Promise<AsyncIterable<T>> {
  return ask().catch((error: unknown) => {
    throw known(error);
  });
}

function known(error: unknown): Error {
  const { type, message } = error as WllamaError;
  const long = type === "kv_cache_full" || /context size|exceeds the available context/i.test(message);
  return long ? new PageModelError("too_long", message) : (error as Error);
}
