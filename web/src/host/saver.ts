/** Decides when to save: one save in flight, at most one waiting behind it that takes along whatever comes meanwhile. */

import type { BlockFile } from "./blockfile";
import { type Log, LostOwnershipError, type StoredReply } from "./log";

export type SaveState = "saving" | "saved" | "unsaved";

export interface SaverEvents {
  state(state: SaveState): void;
  failed(error: Error): void;
  lost(): void;
}

export interface Extra {
  reply?: StoredReply;
  settled?: string[];
  purge?: boolean;
}

const RETRY_MS = [2_000, 5_000, 15_000, 60_000];
const TRANSACTION_POLL_MS = 1;

export class Saver {
  state: SaveState = "saved";
  lastSaved: number | null = null;
  private tail: Promise<unknown> = Promise.resolve();
  private waiting: Promise<boolean> | null = null;
  private replies: StoredReply[] = [];
  private settledIds: string[] = [];
  private purge = false;
  private failures = 0;
  private lost = false;
  private retry: ReturnType<typeof setTimeout> | undefined;

  /** Without a log the memory is kept in this tab only. */
  constructor(
    public file: BlockFile,
    readonly log: Log | null,
    private readonly inTransaction: () => boolean,
    private readonly events: SaverEvents,
  ) {
    if (!log) this.state = "unsaved";
  }

  get dirty(): number {
    return this.file.dirty.size;
  }

  /** Resolves once everything that has changed until now has settled: true when it is on disk. */
  save(extra: Extra = {}): Promise<boolean> {
    if (extra.reply) this.replies.push(extra.reply);
    if (extra.settled) this.settledIds.push(...extra.settled);
    if (extra.purge) this.purge = true;
    this.waiting ??= this.enqueue(() => {
      this.waiting = null;
      return this.write();
    });
    return this.waiting;
  }

  /** Runs `work` while nothing is unsaved and no save is under way. Rejects when saving fails. */
  readonly settled = <T>(work: () => Promise<T>): Promise<T> =>
    this.enqueue(async () => {
      while (this.hasWork()) if (!(await this.write())) throw new Error("The memory could not be saved.");
      return work();
    });

  /** Runs `work` with no save before it or meanwhile: what is unsaved is about to be replaced as a whole. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.enqueue(work);
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const next = this.tail.then(work);
    this.tail = next.catch(() => undefined);
    return next;
  }

  private hasWork(): boolean {
    return this.file.dirty.size > 0 || this.replies.length > 0 || this.settledIds.length > 0 || this.purge;
  }

  private async write(): Promise<boolean> {
    if (this.lost) return false;
    if (!this.log) {
      this.file.dirty.clear();
      [this.replies, this.settledIds, this.purge] = [[], [], false];
      return false;
    }
    if (!this.hasWork()) {
      this.setState("saved");
      return true;
    }
    this.setState("saving");
    // Half a transaction must never reach the disk.
    while (this.inTransaction()) await new Promise((resolve) => setTimeout(resolve, TRANSACTION_POLL_MS));
    const { file, replies, settledIds: settled, purge } = this;
    const pages = Uint32Array.from(file.dirty).sort();
    const save = { pages, copies: file.pages(pages), size: file.size, replies, settled, purge };
    file.dirty.clear();
    [this.replies, this.settledIds, this.purge] = [[], [], false];
    try {
      await this.log.append(save);
    } catch (error) {
      for (const page of pages) file.dirty.add(page);
      this.replies.unshift(...replies);
      this.settledIds.unshift(...settled);
      this.purge ||= purge;
      this.fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
    this.failures = 0;
    clearTimeout(this.retry);
    this.lastSaved = Date.now();
    this.setState(this.waiting || this.hasWork() ? "saving" : "saved");
    return true;
  }

  private fail(error: Error): void {
    this.setState("unsaved");
    if (error instanceof LostOwnershipError) {
      this.lost = true;
      this.events.lost();
      return;
    }
    this.events.failed(error);
    const delay = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => void this.save(), delay);
  }

  private setState(state: SaveState): void {
    if (state === this.state && state !== "saved") return;
    this.state = state;
    this.events.state(state);
  }
}
