/**
 * The model port: how the worker reaches a model that only a page can run. Of the pages that could, the one that holds
 * the lock `<memory>:model` serves; when it is closed its lock frees, what it was answering fails, and the next page in
 * the queue serves what comes then.
 */

export interface PortTurn {
  role: string;
  content: string;
}

export interface PortServer {
  /** Made by the page; it holds the lock `servingLock(id)` for as long as it is open. */
  id: string;
  kind: "device" | "browser";
  /** What stands on its tab. */
  title: string;
}

/** One step of an answer. */
export interface PortDelta {
  text?: string;
  usage?: Record<string, number>;
  finish_reason?: string;
}

/** Why there is no answer; the client in Python has a sentence for each. */
export type PortProblem = "no_tab" | "tab_closed" | "no_model" | "too_long" | "memory" | "failed";

/** From the page that serves to the worker that owns the memory. */
export type FromPage =
  | { type: "serving"; server: PortServer }
  | { type: "leaving"; server: string }
  | { type: "delta"; request: string; delta: PortDelta }
  | { type: "end"; request: string }
  | { type: "failed"; request: string; problem: PortProblem; message: string };

/** From the owner to one page, or to all that could serve. */
export type ToPage =
  | { type: "wanted" }
  | { type: "generate"; to: string; request: string; turns: PortTurn[] }
  | { type: "cancel"; to: string; request: string };
