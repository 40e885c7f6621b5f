/** What a model that runs in a page is to the port. */

import type { PortDelta, PortProblem, PortTurn } from "./port";

export interface PageModel {
  /** Streams the answer to the turns. Ends early, without an error, once `signal` is aborted. */
  answer(turns: readonly PortTurn[], signal: AbortSignal): AsyncIterable<PortDelta>;
  close(): void;
}

export class PageModelError extends Error {
  override name = "PageModelError";

  constructor(
    readonly problem: PortProblem,
    message: string,
  ) {
    super(message);
  }
}

export function problemOf(error: unknown): { problem: PortProblem; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  return { problem: error instanceof PageModelError ? error.problem : "failed", message };
}
