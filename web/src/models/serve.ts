/** This page's end of the model port. It waits in the queue of pages that could serve; its model is loaded on first use. */

import type { PyMemory } from "../client/types";
import { uuid7 } from "../host/ids";
import { queueLock, servingLock } from "../host/names";
import { type PageModel, problemOf } from "./page-model";
import type { PortServer, ToPage } from "./port";

export interface Offer {
  kind: PortServer["kind"];
  title: string;
  load(signal: AbortSignal): Promise<PageModel>;
}

export class ModelPage {
  private offer: Offer | null = null;
  private serving: PortServer | null = null;
  private model: Promise<PageModel> | null = null;
  private loading = new AbortController();
  private release: () => void = () => undefined;
  private readonly running = new Map<string, AbortController>();

  constructor(
    private readonly memory: PyMemory,
    private readonly database: string,
    /** Whether this page is the one that serves. */
    private readonly changed: (serving: boolean) => void,
  ) {
    memory.port.listen((message) => this.receive(message));
    memory.on("owner", ({ owner }) => owner !== "none" && this.announce());
  }

  /** Stands in the queue with a model, in the place of what it offered before. */
  serve(offer: Offer): void {
    this.stop();
    this.offer = offer;
    const server: PortServer = { id: uuid7(), kind: offer.kind, title: offer.title };
    const waiting = new AbortController();
    const ended = new Promise<void>((resolve) => {
      this.release = () => {
        waiting.abort();
        resolve();
      };
    });
    const begin = async (): Promise<void> => {
      this.serving = server;
      this.announce();
      this.changed(true);
      await ended;
    };
    if (!("locks" in navigator)) {
      void begin(); // nor is there another tab that could know of it
      return;
    }
    navigator.locks
      .request(queueLock(this.database), { signal: waiting.signal }, () =>
        navigator.locks.request(servingLock(server.id), begin),
      )
      .catch(() => undefined); // it left the queue
  }

  /** The model that serves here, loaded if it was not. */
  load(): Promise<PageModel> {
    if (!this.offer) return Promise.reject(new Error("This page offers no model."));
    this.model ??= this.offer.load(this.loading.signal);
    this.model.catch(() => (this.model = null));
    return this.model;
  }

  stop(): void {
    for (const running of this.running.values()) running.abort();
    if (this.serving) this.memory.port.send({ type: "leaving", server: this.serving.id });
    this.loading.abort();
    this.loading = new AbortController();
    void this.model?.then((model) => model.close()).catch(() => undefined);
    this.release();
    if (this.serving) this.changed(false);
    this.serving = this.model = this.offer = null;
  }

  private announce(): void {
    if (this.serving) this.memory.port.send({ type: "serving", server: this.serving });
  }

  private receive(message: ToPage): void {
    if (message.type === "wanted") this.announce();
    else if (message.to !== this.serving?.id) return;
    else if (message.type === "cancel") this.running.get(message.request)?.abort();
    else void this.answer(message);
  }

  private async answer({ request, turns }: Extract<ToPage, { type: "generate" }>): Promise<void> {
    const { port } = this.memory;
    const running = new AbortController();
    this.running.set(request, running);
    try {
      const model = await this.load();
      for await (const delta of model.answer(turns, running.signal)) {
        if (running.signal.aborted) break;
        port.send({ type: "delta", request, delta });
      }
      port.send({ type: "end", request });
    } catch (error) {
      if (running.signal.aborted) port.send({ type: "end", request });
      else port.send({ type: "failed", request, ...problemOf(error) });
    } finally {
      this.running.delete(request);
    }
  }
}
