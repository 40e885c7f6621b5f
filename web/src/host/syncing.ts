/**
 * Syncs by itself once that is switched on, in the tab that owns the memory alone: a moment after the last change, at the
 * start, when the network is back, now and then for what other devices did, and after a failure later and later. How it
 * stands lies on disk, so that a tab that is killed neither forgets a wait that a server asked for nor asks anew with a
 * token that was refused.
 */

import { beginning, readSync, readToken, type SyncProblem, type SyncSettings, writeSync } from "../sync/settings";
import { Fault } from "./fault";
import { addressSpace } from "./net";
import type { HostEvent, RemoteError, SyncProgress, SyncState } from "./rpc";
import { dropCopy, keepCopy, keptCopy } from "./sync-copy";

const START_MS = 1_000;
const QUIET_MS = 3_000;
/** Changes that go on do not put it off for longer. */
const MOST_QUIET_MS = 30_000;
const OTHERS_MS = 300_000;
const RETRY_MS = 2_000;
const MOST_RETRY_MS = 300_000;
const LONGEST_TIMER_MS = 86_400_000;

/** What only the user can mend; it is not tried again by itself. */
const FOR_THE_USER = new Set(["unauthorized", "forbidden", "update_needed", "other_user", "no_token", "no_copy", "InvalidInputError"]);

interface Memory {
  /** Runs a sync; the answer is JSON text {"value"} or {"error"}. */
  sync(address: string, token: string): Promise<string>;
  stop(): void;
  status(): { on: boolean; waiting?: Record<string, number> };
  /** The memory as a file. */
  file(): Promise<Blob>;
  /** Puts that file in the place of the memory, with syncing off. Gives the report as JSON text. */
  goBack(file: Blob): Promise<string>;
  /** Forgets the state of syncing; the memory stays. */
  end(): Promise<void>;
}

type Failed = RemoteError & { why?: string; retry_after?: number | null };

export class Syncing {
  private settings: SyncSettings | null = null;
  private loaded: Promise<void> | null = null;
  private running: Promise<void> | null = null;
  private progress: SyncProgress | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private nextAt: number | null = null;
  private changedSince: number | null = null;
  private interrupted = false;
  private ended = false;
  private restarted = false;

  constructor(
    private readonly profile: string,
    /** Without storage or locks there is nothing that could be synced later. */
    private readonly possible: boolean,
    private readonly memory: Memory,
    private readonly emit: (event: HostEvent) => void,
  ) {}

  /** The memory has been opened. */
  begin(): void {
    if (!this.possible) return;
    self.addEventListener("online", this.online);
    this.plan(Date.now() + START_MS, async () => {
      await this.load();
      if (this.settings?.on) this.planNext(this.settings.notBefore === null ? null : Date.now());
    });
  }

  stop(): void {
    this.ended = true;
    clearTimeout(this.timer);
    self.removeEventListener("online", this.online);
    this.memory.stop();
  }

  /** Makes way for what needs the memory for itself; it goes on afterwards. */
  interrupt(): void {
    if (!this.running) return;
    this.interrupted = true;
    this.memory.stop();
  }

  /** Something was changed here. */
  changed(): void {
    if (!this.settings?.on) return;
    const now = Date.now();
    this.changedSince ??= now;
    if (this.running) return; // the one that runs may be past it; its end looks at this
    const quiet = Math.min(now + QUIET_MS, this.changedSince + MOST_QUIET_MS);
    // A failure that waits, or waits for the user, is not hurried by writing on.
    if (!this.settings.problem) this.plan(quiet, () => this.run(true));
  }

  told(progress: SyncProgress): void {
    this.progress = progress;
    // From the first page on the memory syncs, whatever becomes of this attempt.
    if (this.settings && !this.settings.on) void this.note({ on: true });
    this.tell();
  }

  async state(): Promise<SyncState> {
    await this.load();
    return this.now();
  }

  /** Switches it on; resolves once the first sync has succeeded or failed. */
  async switchOn(address: string): Promise<void> {
    if (!this.possible) throw new Fault("sync_nothing_kept", "Nothing is kept here, so nothing can be synced.");
    await this.load();
    this.settings = { ...beginning(address), ...this.settings, address, failures: 0, notBefore: 0 };
    if (!this.memory.status().on) {
      try {
        this.settings.copy = { at: Date.now(), ...(await keepCopy(this.profile, await this.memory.file())) };
      } catch {
        await dropCopy(this.profile).catch(() => undefined);
        await this.note({ copy: null, problem: { code: "no_copy", why: "", at: Date.now() } });
        return;
      }
    }
    await this.run(false);
    if (!this.settings.on) await this.dropCopy();
  }

  /** The user asks for it: waits are over. */
  async syncNow(): Promise<void> {
    await this.load();
    await this.running; // it may have begun before what is to be sent
    if (this.settings) await this.run(false);
  }

  /** The user stops the one that runs. It goes on with the next change, or when it is asked for. */
  pause(): void {
    this.memory.stop();
  }

  /** Everything stays here, and on the server what is there. */
  async switchOff(): Promise<void> {
    await this.load();
    this.memory.stop();
    await this.running;
    clearTimeout(this.timer);
    await this.memory.end();
    await this.forgetState();
  }

  /** Puts the memory back to what it was before the first sync. */
  async undo(): Promise<string> {
    await this.load();
    const copy = this.settings?.copy;
    const file = copy ? await keptCopy(this.profile, copy.pieces).catch(() => null) : null;
    if (!file) throw new Fault("sync_no_copy", "The state from before the first sync is no longer kept.");
    this.memory.stop();
    await this.running;
    clearTimeout(this.timer);
    const report = await this.memory.goBack(file);
    await this.forgetState();
    return report;
  }

  /** Forgetting wins over keeping. */
  async dropCopy(): Promise<void> {
    if (!this.possible) return;
    await this.load();
    if (!this.settings?.copy) return;
    await dropCopy(this.profile);
    await this.note({ copy: null });
  }

  // -- when --

  private readonly online = (): void => {
    if (this.settings?.on && this.settings.problem?.code === "unreachable") this.plan(Date.now() + START_MS, () => this.run(true));
  };

  private plan(at: number, work: () => Promise<void>): void {
    clearTimeout(this.timer);
    if (this.ended) return;
    const wait = Math.min(Math.max(0, at - Date.now()), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => void work().catch(() => undefined), wait);
    if (this.settings?.on) {
      this.nextAt = at;
      this.tell();
    }
  }

  private planNext(at: number | null): void {
    if (at === null) {
      clearTimeout(this.timer);
      this.nextAt = null;
      this.tell();
    } else this.plan(Math.max(at, this.settings?.notBefore ?? 0), () => this.run(true));
  }

  // -- one sync --

  /** `itself`: nobody asked for it, so that it may be left out where there is nothing to do. */
  private run(itself: boolean): Promise<void> {
    this.running ??= this.attempt(itself).finally(() => {
      this.running = this.progress = null;
      this.tell();
    });
    return this.running;
  }

  private async attempt(itself: boolean): Promise<void> {
    const settings = this.settings;
    if (!settings || this.ended) return;
    clearTimeout(this.timer);
    const changed = this.changedSince !== null;
    this.changedSince = this.nextAt = null;
    this.interrupted = false;
    const { waiting = {} } = changed && itself ? this.memory.status() : {};
    if (changed && itself && !settings.problem && !waiting["changes"] && !waiting["outbox"]) {
      return this.planNext(Date.now() + around(OTHERS_MS)); // what was changed stays on this device
    }
    this.tell();
    const failed = await this.ask(settings.address);
    if (this.ended) return;
    const now = Date.now();
    if (!failed) {
      await this.note({ on: true, trying: false, lastAt: now, problem: null, failures: 0, notBefore: now });
      return this.planNext(now + around(this.changedSince === null ? OTHERS_MS : QUIET_MS));
    }
    const code = failed.code || failed.name;
    if (code === "stopped") return this.planNext(now + (this.interrupted ? START_MS : around(OTHERS_MS)));
    const failures = settings.failures + 1;
    const problem: SyncProblem = { code, why: failed.why ?? "", at: now };
    const wait = backoff(failures, failed.retry_after ?? 0);
    await this.note({ problem, failures, notBefore: FOR_THE_USER.has(code) ? null : now + wait });
    this.planNext(this.settings?.on && !FOR_THE_USER.has(code) ? now + wait : null);
  }

  /** What went wrong, if anything. */
  private async ask(address: string): Promise<Failed | null> {
    if (!navigator.onLine && addressSpace(new URL(address)) !== "loopback") {
      return { name: "SyncError", message: "", code: "unreachable", why: "offline" };
    }
    const token = await readToken(this.profile, address);
    if (!token) return { name: "SyncError", message: "", code: "no_token" };
    const { value, error } = JSON.parse(await this.memory.sync(address, token)) as {
      value?: { restarted: boolean; forgotten: Array<[table: string, id: string]> };
      error?: Failed;
    };
    this.restarted = value?.restarted ?? this.restarted;
    if (value?.forgotten.length) await this.note({ dropped: { at: Date.now(), rows: byTable(value.forgotten) } });
    return error ?? null;
  }

  // -- what is known --

  private load(): Promise<void> {
    this.loaded ??= readSync(this.profile)
      .catch(() => null)
      .then((found) => void (this.settings ??= found));
    return this.loaded;
  }

  private async note(changes: Partial<SyncSettings>): Promise<void> {
    if (!this.settings) return;
    this.settings = { ...this.settings, ...changes };
    await writeSync(this.profile, this.settings).catch(() => undefined); // a full disk keeps nobody from syncing
    this.tell();
  }

  private async forgetState(): Promise<void> {
    await dropCopy(this.profile);
    await writeSync(this.profile, null);
    this.settings = null;
    this.nextAt = null;
    this.restarted = false;
    this.tell();
  }

  private now(): SyncState {
    const { settings } = this;
    return {
      possible: this.possible,
      on: settings?.on ?? false,
      address: settings?.address ?? null,
      running: this.running !== null,
      progress: this.progress,
      lastAt: settings?.lastAt ?? null,
      nextAt: this.nextAt,
      problem: settings?.problem ?? null,
      restarted: this.restarted,
      dropped: settings?.dropped ?? null,
      copy: settings?.copy ? { at: settings.copy.at, bytes: settings.copy.bytes } : null,
    };
  }

  private tell(): void {
    if (!this.ended) this.emit({ event: "sync", detail: this.now() });
  }
}

function byTable(rows: ReadonlyArray<[table: string, id: string]>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [table] of rows) counts[table] = (counts[table] ?? 0) + 1;
  return counts;
}

/** Many devices do not all come at the same time. */
const around = (ms: number): number => ms * (0.85 + 0.3 * Math.random());

/** Exponential with jitter, and never less than the server asked for (seconds). */
function backoff(failures: number, least: number): number {
  const most = Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
  return Math.max(most * (0.5 + 0.5 * Math.random()), least * 1000 * (1 + 0.2 * Math.random()));
}
