/** The owner's end of the model port: requests of Python go to the page that serves, and its pieces come back. */

import type { FromPage, PortDelta, PortProblem, PortServer, PortTurn, ToPage } from "../models/port";
import { servingLock } from "./names";

/** A page that is asked whether it serves answers at once; one that has to become the next needs a moment. */
const WANTED_MS = 4_000;

export interface PortFailure {
  problem: PortProblem;
  message: string;
}

interface Answer {
  server: string;
  pieces: PortDelta[];
  ended: boolean;
  failure: PortFailure | null;
  wake: () => void;
}

export class ModelPort {
  private server: PortServer | null = null;
  private waiting: Array<() => void> = [];
  private readonly answers = new Map<string, Answer>();

  constructor(
    private readonly send: (message: ToPage) => void,
    private readonly changed: (server: PortServer | null) => void,
  ) {}

  get serving(): PortServer | null {
    return this.server;
  }

  receive(message: FromPage): void {
    if (message.type === "serving") this.adopt(message.server);
    else if (message.type === "leaving") this.gone(message.server);
    else {
      const answer = this.answers.get(message.request);
      if (!answer) return;
      if (message.type === "delta") answer.pieces.push(message.delta);
      else if (message.type === "end") answer.ended = true;
      else answer.failure = { problem: message.problem, message: message.message };
      answer.wake();
    }
  }

  /** Asks the page that serves for an answer to the turns (JSON text). */
  ask(request: string, turns: string): void {
    const answer: Answer = { server: "", pieces: [], ended: false, failure: null, wake: () => undefined };
    this.answers.set(request, answer);
    void this.begin(request, answer, JSON.parse(turns) as PortTurn[]);
  }

  /** The next piece, or why there is none, as JSON text; undefined at the end of the answer. */
  async next(request: string): Promise<string | undefined> {
    const answer = this.answers.get(request);
    if (!answer) return undefined;
    while (answer.pieces.length === 0 && !answer.ended && !answer.failure) {
      await new Promise<void>((resolve) => (answer.wake = resolve));
    }
    const piece = answer.pieces.shift();
    if (piece) return JSON.stringify(piece);
    this.answers.delete(request);
    return answer.failure ? JSON.stringify(answer.failure) : undefined;
  }

  /** Nobody waits for it any more. */
  end(request: string): void {
    const answer = this.answers.get(request);
    if (!answer) return;
    answer.ended = true;
    answer.wake();
    this.answers.delete(request);
    if (answer.server) this.send({ type: "cancel", to: answer.server, request });
  }

  private async begin(request: string, answer: Answer, turns: PortTurn[]): Promise<void> {
    const server = this.server ?? (await this.wanted());
    if (answer.ended) return;
    if (server) {
      answer.server = server.id;
      this.send({ type: "generate", to: server.id, request, turns });
    } else {
      answer.failure = { problem: "no_tab", message: "No open tab has the model." };
      answer.wake();
    }
  }

  private adopt(server: PortServer): void {
    const former = this.server?.id;
    this.server = server;
    for (const resolve of this.waiting.splice(0)) resolve();
    if (former !== server.id) {
      // Granted when the tab is gone, however it went.
      if ("locks" in navigator) void navigator.locks.request(servingLock(server.id), () => this.gone(server.id));
    }
    this.changed(server);
  }

  private gone(id: string): void {
    for (const answer of this.answers.values()) {
      if (answer.server !== id || answer.ended) continue;
      answer.failure = { problem: "tab_closed", message: "The tab that ran the model was closed." };
      answer.wake();
    }
    if (this.server?.id !== id) return;
    this.server = null;
    this.changed(null);
  }

  private async wanted(): Promise<PortServer | null> {
    const asked = new Promise<void>((resolve) => this.waiting.push(resolve));
    this.send({ type: "wanted" });
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, WANTED_MS))]);
    return this.server;
  }
}
