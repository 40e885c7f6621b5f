/** What the page knows of the memory, and the only place where the page talks to it. */

import { useEffect, useState } from "preact/hooks";
import type { MemoryFault, PyMemory, PyMemoryEvents, Status } from "../client/index";
import { uuid7 } from "../host/ids";
import { type TextKey, t } from "./i18n/index";

export interface Session {
  id: string;
  title: string | null;
  last_active_at: number;
  current_message_id: string | null;
}

export interface Message {
  id: string;
  session_id: string;
  parent_id: string | null;
  created_at: number;
  role: "user" | "assistant" | "system" | "tool";
  content: string;
  status: "complete" | "streaming" | "stopped" | "failed";
  notes: string[];
  /** Sent, but the memory has not taken it yet. */
  waiting?: boolean;
}

export interface Fact {
  id: string;
  key: string;
  value: string;
  status: string;
  created_at: number;
  quote: string | null;
  source_message_id: string | null;
  pinned: boolean;
  needs_review: boolean;
}

export interface Receipt {
  operation_id: string;
}

export interface Toast {
  text: string;
  undo?: () => void;
}

export interface View {
  status: Status;
  boot: string;
  online: boolean;
  sessions: Session[];
  query: string;
  sessionId: string | null;
  messages: Message[];
  more: boolean;
  facts: Fact[];
  proposals: Fact[];
  answering: string | null;
  toast: Toast | null;
  fault: { text: string; choices: readonly string[] } | null;
  /** Puts a new version of the page, which lies ready, into use. */
  update: (() => void) | null;
}

const PAGE = 200;
const TOAST_MS = 10_000;
const MAX_BYTES = 1_048_576;

export class App {
  private readonly listeners = new Set<() => void>();
  private refreshing = false;
  private again = false;
  private limit = PAGE;
  private toastTimer: ReturnType<typeof setTimeout> | undefined;
  view: View;

  constructor(readonly memory: PyMemory) {
    this.view = {
      status: memory.status(),
      boot: "",
      online: navigator.onLine,
      sessions: [],
      query: "",
      sessionId: null,
      messages: [],
      more: false,
      facts: [],
      proposals: [],
      answering: null,
      toast: null,
      fault: null,
      update: null,
    };
    memory.on("status", (status) => this.set({ status }));
    memory.on("owner", () => this.set({ status: memory.status() }));
    memory.on("boot", ({ step }) => this.set({ boot: step }));
    memory.on("changed", () => void this.refresh());
    memory.on("saved", () => {
      if (this.view.fault && this.view.fault.choices.length === 0) this.set({ fault: null });
    });
    memory.on("error", (fault) => this.showFault(fault));
    memory.on("chat", (event) => this.follow(event));
    addEventListener("online", () => this.set({ online: true }));
    addEventListener("offline", () => this.set({ online: false }));
    memory.ready.then(
      () => this.refresh(),
      () => undefined,
    );
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(changes: Partial<View>): void {
    this.view = { ...this.view, ...changes };
    for (const listener of this.listeners) listener();
  }

  call<T>(method: string, kwargs: Record<string, unknown> = {}): Promise<T> {
    return this.memory.call(method, kwargs) as Promise<T>;
  }

  /** Reads again what is on screen; calls during a reading lead to one more. */
  async refresh(): Promise<void> {
    if (this.refreshing) {
      this.again = true;
      return;
    }
    this.refreshing = true;
    try {
      do {
        this.again = false;
        await this.read();
      } while (this.again);
    } finally {
      this.refreshing = false;
    }
  }

  private async read(): Promise<void> {
    const sessions = await this.call<Session[]>("list_sessions", { query: this.view.query || null, limit: 200 });
    let sessionId = this.view.sessionId;
    if (sessionId === null && this.view.messages.length === 0) sessionId = sessions[0]?.id ?? null;
    const [facts, proposals, messages] = await Promise.all([
      this.call<Fact[]>("list_facts", {}),
      this.call<Fact[]>("list_facts", { status: "candidate" }),
      sessionId ? this.messagesOf(sessionId) : Promise.resolve([]),
    ]);
    if (sessionId !== this.view.sessionId && this.view.sessionId !== null) return; // the user has gone elsewhere
    const waiting = this.view.messages.filter((m) => m.waiting && !messages.some((known) => known.id === m.id));
    const known = messages.map((message) => this.keepStreamed(message));
    const more = messages.length >= this.limit;
    this.set({ sessions, sessionId, facts, proposals, messages: [...known, ...waiting], more });
  }

  private async messagesOf(sessionId: string): Promise<Message[]> {
    try {
      return await this.call<Message[]>("get_recent_messages", { session_id: sessionId, limit: this.limit });
    } catch (error) {
      if ((error as Error).name !== "NotFoundError") throw error;
      this.set({ sessionId: null, messages: [] });
      return [];
    }
  }

  /** What has streamed in is newer than the stored, still empty answer. */
  private keepStreamed(message: Message): Message {
    const shown = this.view.messages.find((m) => m.id === message.id);
    return message.status === "streaming" && shown ? { ...message, content: shown.content } : message;
  }

  showEarlier(): void {
    this.limit += PAGE;
    void this.refresh();
  }

  openSession(sessionId: string | null): void {
    this.limit = PAGE;
    this.set({ sessionId, messages: [], more: false });
    if (sessionId) void this.refresh();
  }

  async newChat(): Promise<void> {
    if (this.view.status.state === "starting") return;
    const session = await this.call<Session>("create_session");
    this.openSession(session.id);
  }

  /** Sends at once; until the memory is ready the message waits on disk. Returns what is wrong with it, or null. */
  send(text: string): string | null {
    const size = new TextEncoder().encode(text).length;
    if (size > MAX_BYTES) return t("tooLarge", { size: size.toLocaleString(), limit: MAX_BYTES.toLocaleString() });
    const id = uuid7();
    const message: Message = {
      id,
      session_id: this.view.sessionId ?? "",
      parent_id: null,
      created_at: Date.now(),
      role: "user",
      content: text,
      status: "complete",
      notes: [],
      waiting: true,
    };
    this.set({ messages: [...this.view.messages, message], answering: this.view.answering ?? id });
    this.memory
      .send({ text, session_id: this.view.sessionId, message_id: id })
      .catch((error: Error) => {
        const messages = this.view.messages.filter((m) => m.id !== id);
        this.set({ messages, fault: { text: error.message, choices: [] } });
      })
      .finally(() => {
        if (this.view.answering === id) this.set({ answering: null });
        void this.refresh();
      });
    return null;
  }

  stop(): void {
    if (this.view.answering) void this.memory.cancel(this.view.answering);
  }

  private follow(event: PyMemoryEvents["chat"]): void {
    const { type, message, message_id: id, text } = event as {
      type: string;
      message?: Message;
      message_id?: string;
      text?: string;
    };
    if (type === "message" && message) {
      if (this.view.sessionId === null) this.set({ sessionId: message.session_id });
      if (message.session_id !== this.view.sessionId) return;
      if (message.notes.length) this.toast({ text: t("replaced") });
      const others = this.view.messages.filter((m) => m.id !== message.id);
      const shown = this.view.messages.some((m) => m.id === message.id);
      this.set({
        messages: shown ? this.view.messages.map((m) => (m.id === message.id ? message : m)) : [...others, message],
      });
    } else if (type === "delta") {
      const messages = this.view.messages.map((m) => (m.id === id ? { ...m, content: m.content + (text ?? "") } : m));
      this.set({ messages });
    }
  }

  private showFault(fault: MemoryFault): void {
    const choices = fault.choices ?? [];
    if (fault.code === "restored" || fault.code === "evicted") return; // shown by the standing notice
    if (fault.name === "QuotaExceededError") this.set({ fault: { text: t("errorQuota"), choices } });
    else if (choices.length || this.view.status.state === "starting") {
      this.set({ fault: { text: t("errorStart", { reason: fault.message }), choices } });
    } else this.set({ fault: { text: t("errorUnsaved", { reason: fault.message }), choices } });
  }

  toast(toast: Toast): void {
    clearTimeout(this.toastTimer);
    this.set({ toast });
    this.toastTimer = setTimeout(() => this.set({ toast: null }), TOAST_MS);
  }

  /** Runs a change and offers to take it back while that is possible. */
  async undoable(text: TextKey, method: string, kwargs: Record<string, unknown>): Promise<void> {
    const receipt = await this.call<Receipt>(method, kwargs);
    const undo = (): void => {
      this.set({ toast: null });
      this.call("undo", { operation_id: receipt.operation_id }).catch((error: Error) =>
        this.set({ fault: { text: error.message, choices: [] } }),
      );
    };
    this.toast({ text: t(text), undo });
  }
}

export function useView(app: App): View {
  const [view, show] = useState(app.view);
  useEffect(() => {
    show(app.view);
    return app.subscribe(() => show(app.view));
  }, [app]);
  return view;
}

/** Hands a file to the user. */
export function download(data: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
