/** The page's end of the line to the owner: keeps every request until it is answered, whoever the owner is by then. */

import type { FromPage } from "../models/port";
import { uuid7 } from "../host/ids";
import { type FromWorker, RPC_VERSION, type Recovery, type Reply, type Request, type StartOptions } from "../host/rpc";
import { notLoaded, startWorker, takeEarly } from "./early";

interface Pending {
  request: Request;
  answer: Promise<string | Blob>;
  resolve(value: string | Blob): void;
  reject(error: Error): void;
}

export class Link {
  private worker: Worker | null = null;
  private readonly pending = new Map<string, Pending>();
  /** The owner to whom requests go; null while there is none. */
  private token: string | null = null;
  private failure: Error | null = null;
  private closed = false;

  constructor(
    private readonly script: string | URL,
    private readonly options: Promise<Omit<StartOptions, "steal">>,
    private readonly receive: (message: FromWorker) => void,
    /** Whether the worker that the page has started already may be taken. */
    private readonly early: boolean,
  ) {}

  /** Whether an owner, or an answer of it, is outstanding. */
  get waits(): boolean {
    return !this.closed && !this.failure && (this.token === null || this.pending.size > 0);
  }

  async start(steal = false): Promise<void> {
    const options = await this.options;
    this.stop();
    if (this.closed) return;
    const early = this.early ? takeEarly(options.database) : undefined;
    const worker = early?.worker ?? startWorker(this.script, { ...options, steal });
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.handle(data);
    worker.onerror = ({ message }) => this.handle(notLoaded(message));
    for (const message of early?.said ?? []) this.handle(message);
  }

  /** For good; what is outstanding fails. */
  close(): void {
    this.closed = true;
    this.stop();
    this.fail("ClosedError", "This page has let go of the memory.");
  }

  /** Requests wait until it is started again. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.token = null;
    this.failure = null;
  }

  /** The same id is asked once. `again`: it may have been answered before this page was loaded. */
  request(method: string, kwargs: Record<string, unknown>, id = uuid7(), again = false): Promise<string | Blob> {
    const known = this.pending.get(id);
    if (known) return known.answer;
    if (this.failure) return Promise.reject(this.failure);
    const request: Request = { v: RPC_VERSION, id, method, kwargs, ...(again ? { again } : {}) };
    let settle: Pick<Pending, "resolve" | "reject"> | undefined;
    const answer = new Promise<string | Blob>((resolve, reject) => (settle = { resolve, reject }));
    const pending = { request, answer, ...(settle as Pick<Pending, "resolve" | "reject">) };
    this.pending.set(id, pending);
    if (this.token) this.send(pending);
    return answer;
  }

  toPort(message: FromPage): void {
    this.worker?.postMessage({ type: "port", message });
  }

  recover(choice: Recovery): void {
    this.worker?.postMessage({ type: "recover", choice });
  }

  private send({ request }: Pending): void {
    this.worker?.postMessage({ type: "request", request });
    // Should it be sent a second time, the next owner looks whether it was answered.
    request.again = true;
  }

  private handle(message: FromWorker): void {
    if (message.type === "reply") this.settle(message.reply);
    else if (message.type === "owner") this.adopt(message.token);
    else if (message.type === "stopped") void this.start(message.reason === "behind");
    else if (message.type === "failed" && message.choices.length === 0) this.fail(message.error.name, message.error.message);
    this.receive(message);
  }

  private adopt(token: string): void {
    if (token === this.token) return;
    this.token = token;
    for (const pending of this.pending.values()) this.send(pending);
  }

  private settle(reply: Reply): void {
    const pending = this.pending.get(reply.id);
    if (!pending) return;
    this.pending.delete(reply.id);
    if ("error" in reply) pending.reject(named(reply.error.name, reply.error.message, reply.error.code));
    else pending.resolve(reply.value);
  }

  private fail(name: string, message: string): void {
    this.failure = named(name, message);
    for (const { reject } of this.pending.values()) reject(this.failure);
    this.pending.clear();
  }
}

export function named(name: string, message: string, code?: string): Error {
  return Object.assign(new Error(message), { name, ...(code ? { code } : {}) });
}
