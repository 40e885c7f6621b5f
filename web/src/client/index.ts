/** openMemory(): the memory as other code of the page uses it, whichever tab owns it. */

import { BlockedError } from "../host/idb";
import { uuid7 } from "../host/ids";
import { DATABASE, incognitoLock, restartChannel } from "../host/names";
import type { FromWorker, OwnerStatus, Recovery, RemoteError } from "../host/rpc";
import type { ToPage } from "../models/port";
import { Link, named } from "./link";
import { isMarked, mark } from "./marker";
import type {
  ExportOptions,
  ImportOptions,
  MemoryFault,
  ModelPortEnd,
  OpenOptions,
  PyMemory,
  PyMemoryEvents,
  ReadOptions,
  SendOptions,
  Status,
} from "./types";
import { watch } from "./watch";
import { type WaitingMessage, WaitingMessages } from "./waiting";

export type * from "./types";

declare const __BUILD__: { readonly worker?: string };

const ESTIMATE_MS = 5_000;
const NOT_STARTED: OwnerStatus = {
  state: "saved",
  generation: 0,
  generations: [],
  dirty: 0,
  lastSaved: null,
  memoryOnly: false,
  warning: null,
  written: { records: 0, bytes: 0, compactions: 0, compactedBytes: 0 },
};

export function openMemory(options: OpenOptions = {}): PyMemory {
  return new Memory(options);
}

class Memory implements PyMemory {
  readonly ready: Promise<void>;
  private becomeReady: () => void = () => undefined;
  private giveUp: (error: Error) => void = () => undefined;
  private readonly link: Link;
  private readonly database: string;
  private readonly waiting: WaitingMessages | null;
  private readonly listeners = new Map<string, Set<(detail: never) => void>>();
  private readonly rounds = new Map<string | null, Promise<unknown>>();
  /** Incognito chats of this page, each with what lets go of its lock. */
  private readonly incognito = new Map<string, () => void>();
  private owner: Status["owner"] = "none";
  /** Whether this tab's worker has the lock, although it may still be starting. */
  private holds = false;
  private report = NOT_STARTED;
  private storage: Pick<Status, "persistent" | "usage" | "quota"> = { persistent: null, usage: null, quota: null };
  private estimated = 0;
  private marked = false;
  private askedToPersist = false;
  private readonly restarts: BroadcastChannel;
  private receivePort: (message: ToPage) => void = () => undefined;
  private receiveRaw: ((file: Blob | null) => void) | null = null;

  constructor(options: OpenOptions) {
    this.database = options.database ?? DATABASE;
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = resolve;
      this.giveUp = reject;
    });
    this.ready.catch(() => undefined);
    const script = options.worker ?? new URL(__BUILD__.worker ?? "worker.js", document.baseURI);
    const controlled = Boolean((navigator as Partial<Navigator>).serviceWorker?.controller);
    const { create = true } = options;
    const start = { database: this.database, create, expected: isMarked(this.database) };
    const ready = Promise.resolve(options.policy ?? controlled).then((policy) => ({ ...start, policy }));
    this.link = new Link(script, ready, (message) => this.receive(message), !options.worker);
    void this.link.start();
    this.restarts = new BroadcastChannel(restartChannel(this.database));
    this.restarts.onmessage = () => this.startAnew();
    // A page that the browser freezes to come back to must not hold the memory meanwhile.
    addEventListener("pagehide", ({ persisted }) => persisted && this.link.stop());
    addEventListener("pageshow", ({ persisted }) => persisted && this.link.start());
    if ("locks" in navigator) {
      watch(this.database, {
        waits: () => this.link.waits,
        holds: () => this.holds,
        frozen: () => this.takeOver(),
      });
    }
    // Without locks nothing is kept, waiting messages included.
    this.waiting = "locks" in navigator ? new WaitingMessages(this.database, create) : null;
    this.waiting?.list().then(
      (messages) => messages.forEach((message) => this.round(message, true)),
      (error: unknown) => error instanceof BlockedError && this.blocked(error),
    );
  }

  async call(method: string, kwargs: Record<string, unknown> = {}): Promise<unknown> {
    if (method === "chat_round") return this.send(kwargs as unknown as SendOptions);
    if (method === "open_incognito") await this.hold(String(kwargs["id"]));
    if (method === "close_incognito") this.letGo(String(kwargs["id"]));
    const value = parse(await this.link.request(method, kwargs));
    if (method === "add_message" && kwargs["incognito"] === undefined) this.askToPersist();
    return value;
  }

  async flush(): Promise<void> {
    parse(await this.link.request("flush", {}));
  }

  async exportFile(options: ExportOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const file = (await this.link.request("exportFile", { ...options })) as Blob;
    return new Uint8Array(await file.arrayBuffer());
  }

  async importFile(bytes: Uint8Array<ArrayBuffer>, options: { mode?: "merge" | "replace" } = {}): Promise<unknown> {
    const mode = options.mode ?? "merge";
    if (mode !== "merge" && mode !== "replace") {
      throw named("InvalidInputError", `A file is imported by merge or replace, not ${String(mode)}.`);
    }
    if (!(bytes instanceof Uint8Array)) {
      throw named("InvalidInputError", "A file is imported from its bytes, a Uint8Array.");
    }
    return parse(await this.link.request("importFile", { file: new Blob([bytes]), mode }));
  }

  previewFiles(files: readonly File[], options: ReadOptions = {}): Promise<unknown> {
    return this.reading("previewFiles", { files }, options);
  }

  importFiles(files: readonly File[], { signal, onProgress, ...options }: ImportOptions = {}): Promise<unknown> {
    const read = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    return this.reading("importFiles", { files, ...options }, read);
  }

  private async reading(method: string, kwargs: object, { signal, onProgress }: ReadOptions): Promise<unknown> {
    const id = uuid7();
    const cancel = (): void => void this.link.request("cancelImport", { id });
    const unsubscribe = this.on("import", (progress) => progress.id === id && onProgress?.(progress));
    signal?.addEventListener("abort", cancel);
    try {
      return parse(await this.link.request(method, { ...kwargs }, id));
    } finally {
      unsubscribe();
      signal?.removeEventListener("abort", cancel);
    }
  }

  async send(options: SendOptions): Promise<unknown> {
    const message: WaitingMessage = {
      message_id: options.message_id ?? uuid7(),
      session_id: options.session_id ?? null,
      text: options.text,
      ...(options.instead_of !== undefined && { instead_of: options.instead_of }),
      ...(options.again !== undefined && { again: options.again }),
      at: Date.now(),
    };
    if (options.incognito !== undefined) return this.round(message, false, { incognito: options.incognito });
    // Where this fails the message still goes out; it only would not survive this page.
    await this.waiting?.add(message).catch(() => undefined);
    return this.round(message, options.message_id !== undefined);
  }

  async cancel(messageId: string): Promise<boolean> {
    return parse(await this.link.request("cancel", { message_id: messageId })) as boolean;
  }

  status(): Status {
    const state = this.owner === "none" ? "starting" : this.report.state;
    return { ...this.report, ...this.storage, persistence: this.persistence(), state, owner: this.owner };
  }

  on<E extends keyof PyMemoryEvents>(event: E, listener: (detail: PyMemoryEvents[E]) => void): () => void {
    const listeners = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  takeOver(): void {
    if (this.owner === "this-tab") return;
    this.setOwner("none");
    void this.link.start(true);
  }

  async restart(): Promise<void> {
    await this.flush();
    this.restarts.postMessage("restart");
    this.startAnew();
  }

  close(): void {
    this.link.close();
    this.restarts.close();
    for (const id of this.incognito.keys()) this.letGo(id);
    this.setOwner("none");
  }

  get port(): ModelPortEnd {
    return {
      send: (message) => this.link.toPort(message),
      listen: (listener) => (this.receivePort = listener),
    };
  }

  recover(choice: "raw"): Promise<Blob | null>;
  recover(choice: "previous" | "empty"): Promise<void>;
  recover(choice: Recovery): Promise<Blob | null | void> {
    if (this.owner !== "none") {
      return choice === "raw" ? (this.link.request("rawFile", {}) as Promise<Blob>) : Promise.resolve();
    }
    this.link.recover(choice);
    if (choice !== "raw") return this.ready;
    return new Promise((resolve) => (this.receiveRaw = resolve));
  }

  private startAnew(): void {
    this.setOwner("none");
    void this.link.start();
  }

  /** Rounds of one session follow one another, in the order in which their messages were sent. */
  private round(message: WaitingMessage, again: boolean, scope: { incognito?: string } = {}): Promise<unknown> {
    const { at: _, ...sent } = message;
    const { message_id, session_id } = message;
    const ask = async (): Promise<unknown> => {
      const kwargs = { ...sent, ...scope };
      const reply = parse(await this.link.request("chat_round", kwargs, message_id, again));
      if (scope.incognito === undefined) this.askToPersist();
      return reply;
    };
    const answer = (this.rounds.get(session_id) ?? Promise.resolve()).then(ask);
    this.rounds.set(session_id, answer.catch(() => undefined));
    return answer;
  }

  /** The owner, perhaps in another tab, sees by the lock that this page still shows the chat. */
  private hold(id: string): Promise<void> {
    if (this.incognito.has(id) || !("locks" in navigator)) return Promise.resolve();
    return new Promise((held) => {
      const released = new Promise<void>((release) => this.incognito.set(id, release));
      void navigator.locks.request(incognitoLock(this.database, id), () => {
        held();
        return released;
      });
    });
  }

  private letGo(id: string): void {
    this.incognito.get(id)?.();
    this.incognito.delete(id);
  }

  private receive(message: FromWorker): void {
    if (message.type === "owner") {
      this.report = message.status;
      this.setOwner(message.here ? "this-tab" : "other-tab");
      this.becomeReady();
      void this.estimate();
    } else if (message.type === "event") {
      this.receiveEvent(message);
    } else if (message.type === "failed") {
      const fault: MemoryFault = { ...message.error, choices: message.choices };
      if (message.choices.length === 0) this.giveUp(named(fault.name, fault.message, fault.code));
      this.emit("error", fault);
    } else if (message.type === "port") {
      this.receivePort(message.message);
    } else if (message.type === "raw") {
      this.receiveRaw?.(message.file);
    } else if (message.type === "stopped") {
      this.setOwner("none");
    }
  }

  /** The worker waits behind this page, and is not told why. */
  private blocked({ name, message }: BlockedError): void {
    this.receive({ type: "failed", error: { name, message, code: "blocked" }, choices: [] });
  }

  private receiveEvent(message: Extract<FromWorker, { type: "event" }>): void {
    if (message.event === "boot") this.holds = message.detail.step !== "lock";
    if (message.event === "status") {
      this.report = message.detail;
      this.emit("status", this.status());
      return;
    }
    if (message.event === "saved") {
      if (!this.marked) mark(this.database);
      this.marked = true;
      void this.estimate();
    }
    this.emit(message.event, message.detail as never);
  }

  private setOwner(owner: Status["owner"]): void {
    if (owner !== "this-tab") this.holds = false;
    const changed = owner !== this.owner;
    this.owner = owner;
    if (changed) this.emit("owner", { owner });
    this.emit("status", this.status());
  }

  private emit<E extends keyof PyMemoryEvents>(event: E, detail: PyMemoryEvents[E]): void {
    for (const listener of this.listeners.get(event) ?? []) (listener as (detail: PyMemoryEvents[E]) => void)(detail);
  }

  private persistence(): Status["persistence"] {
    if (!(navigator as Partial<Navigator>).storage) return "unsupported";
    if (this.storage.persistent) return "granted";
    return this.askedToPersist && this.storage.persistent === false ? "refused" : "unasked";
  }

  /** Asked once there is something worth keeping. */
  private askToPersist(): void {
    const storage = (navigator as Partial<Navigator>).storage;
    if (this.askedToPersist || !storage) return;
    this.askedToPersist = true;
    void storage.persist().then((persistent) => {
      this.storage = { ...this.storage, persistent };
      this.emit("status", this.status());
    });
  }

  private async estimate(): Promise<void> {
    const storage = (navigator as Partial<Navigator>).storage;
    if (!storage || Date.now() - this.estimated < ESTIMATE_MS) return;
    this.estimated = Date.now();
    const [{ usage, quota }, persistent] = await Promise.all([storage.estimate(), storage.persisted()]);
    this.storage = { persistent, usage: usage ?? null, quota: quota ?? null };
    this.emit("status", this.status());
  }
}

function parse(text: string | Blob): unknown {
  const { value, error } = JSON.parse(text as string) as { value?: unknown; error?: RemoteError };
  if (error) throw named(error.name, error.message, error.code);
  return value;
}
