/**
 * Fetches a model file from the address that the user has given, and keeps it for offline use. It is done here because
 * the worker alone may ask another origin: one that the user's settings name (see sw.ts).
 */

import { checkSize, FileError, type FileProblem, GGUF, keep } from "../models/file";
import { explainer, type NetReason } from "./net";

const TOLD_MS = 200;

/** Why there is no file: about the file, about the way to it, or `status` with the number that the server answered. */
export type FetchProblem = FileProblem | NetReason | "no_files" | "cancelled" | `status ${number}`;

export class ModelFile {
  private running: AbortController | null = null;
  private readonly explain = explainer();

  constructor(
    private readonly database: string,
    private readonly told: (progress: { done: number; total: number | null }) => void,
  ) {}

  cancel(): void {
    this.running?.abort();
  }

  /** {"value": {"size"}} or {"error"}, whose message is a FetchProblem, as JSON text. One is fetched at a time. */
  async fetch(address: string): Promise<string> {
    this.cancel();
    const running = new AbortController();
    this.running = running;
    try {
      return JSON.stringify({ value: { size: await this.keep(address, running.signal) } });
    } catch (error) {
      const message = running.signal.aborted ? "cancelled" : await this.problemOf(error, address);
      return JSON.stringify({ error: { name: "ModelFileError", message } });
    } finally {
      if (this.running === running) this.running = null;
    }
  }

  private async keep(address: string, signal: AbortSignal): Promise<number> {
    const response = await fetch(address, { signal, credentials: "omit", referrerPolicy: "no-referrer" });
    if (!response.ok || !response.body) throw new Refused(response.status);
    const length = Number(response.headers.get("content-length")) || null;
    // What a server has packed for the way is longer once it is here.
    const total = response.headers.get("content-encoding") ? null : length;
    if (total !== null) await checkSize(total);
    let at = 0;
    let size = 0;
    const progress = (done: number): void => {
      size = done;
      if (Date.now() - at < TOLD_MS && done !== total) return;
      at = Date.now();
      this.told({ done, total });
    };
    progress(0);
    if (!(await keep(this.database, response.body.pipeThrough(asGguf()), progress, signal))) throw new NoFiles();
    return size;
  }

  private async problemOf(error: unknown, address: string): Promise<FetchProblem> {
    if (error instanceof FileError) return error.problem;
    if (error instanceof Refused) return `status ${error.status}`;
    if (error instanceof NoFiles) return "no_files";
    if ((error as Error).name === "QuotaExceededError") return "space";
    return this.explain(address);
  }
}

class Refused extends Error {
  constructor(readonly status: number) {
    super(`The server answered ${status}.`);
  }
}

class NoFiles extends Error {}

/** Lets a GGUF file through; anything else, such as a page that asks to sign in, ends with its first bytes. */
function asGguf(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let beginning = "";
  return new TransformStream({
    transform: (piece, controller) => {
      if (beginning.length < GGUF.length) {
        beginning += String.fromCharCode(...piece.subarray(0, GGUF.length - beginning.length));
        if (!GGUF.startsWith(beginning)) throw new FileError("not_gguf");
      }
      controller.enqueue(piece);
    },
    flush: () => {
      if (beginning !== GGUF) throw new FileError("not_gguf");
    },
  });
}
