/** Serves the memory to every tab: runs requests in Python, saves what they change, and tidies up when idle. */

import type { BlockFolder } from "./blockfile";
import type { PyHost } from "./boot";
import { Fault, toRemote, unwrap } from "./fault";
import { readUntrusted } from "./importer";
import { Imports } from "./imports";
import { readKey, readSettings } from "../models/settings";
import { ModelFile } from "./model-file";
import { explainer } from "./net";
import type { ModelPort } from "./port";
import { uuid7 } from "./ids";
import { incognitoLock } from "./names";
import { type HostEvent, type OwnerStatus, RPC_VERSION, type Reply, type Request, type SyncProgress } from "./rpc";
import type { Extra, Saver } from "./saver";
import { Syncing } from "./syncing";

const IDLE_MS = 400;
// Small steps far apart: merging the index rewrites many pages, which should not all fall on one turn.
const IDLE_SLICE_MS = 6;
const IDLE_PAUSE_MS = 300;
// A model reads along when nobody has asked anything for a moment; a busy or missing one is left alone for longer.
const READ_AFTER_MS = 3_000;
const READ_AGAIN_MS = { read: 0, stopped: 0, nothing: 60_000, failed: 600_000 };
const UNDO_MARGIN_MS = 500;
const PURGE_RETRY_MS = 30_000;

export class Host {
  private readonly running = new Map<string, Promise<Reply>>();
  private readonly modelFile: ModelFile;
  private active = 0;
  private closed = false;
  private wake: Array<() => void> = [];
  private maintenance: Promise<unknown> = Promise.resolve();
  private arrival: Promise<unknown> = Promise.resolve();
  private idleTimer: ReturnType<typeof setTimeout> | undefined;
  private purgeTimer: ReturnType<typeof setTimeout> | undefined;
  private wrote = true;
  private checked = false;
  private folding = false;
  private stopped = false;
  private files = 0;
  private readonly imports: Imports;
  private readonly syncing: Syncing;
  /** Who answers is read with the first message, so that a start does not wait for it. */
  private model: Promise<void> | null = null;
  /** The user lets the model read along in idle time, but not before this time (ms). */
  private reads = false;
  private readFrom = 0;

  constructor(
    private readonly database: string,
    private readonly python: PyHost,
    private readonly folder: BlockFolder,
    private fileName: string,
    private readonly saver: Saver,
    readonly warning: string | null,
    private readonly emit: (event: HostEvent) => void,
    /** Called when the memory must be opened anew. */
    private readonly restart: () => void,
  ) {
    this.modelFile = new ModelFile(database, (detail) => emit({ event: "fetching", detail }));
    this.imports = new Imports(python, saver, emit, {
      steadily: (work) => this.maintain(() => this.during(work)),
      save: (extra) => this.save(extra),
      changed: () => this.noteChange("importFiles"),
    });
    const possible = saver.log !== null && "locks" in navigator;
    this.syncing = new Syncing(database, possible, this.memoryToSync(), emit);
  }

  status(): OwnerStatus {
    const { saver } = this;
    return {
      state: saver.state,
      generation: saver.log?.generation ?? 0,
      generations: saver.log?.generations ?? [],
      dirty: saver.dirty,
      lastSaved: saver.lastSaved,
      memoryOnly: saver.log === null,
      warning: this.warning,
      written: saver.log?.written ?? { records: 0, bytes: 0, compactions: 0, compactedBytes: 0 },
    };
  }

  /**
   * Finishes what a tab that died has left, before anything is shown. A `doubtful` file, which SQLite finds damaged, is
   * written anew from what can be read; where that fails it is used as it is.
   */
  async finishStart(doubtful: boolean): Promise<void> {
    await this.saver.save();
    if (this.saver.log?.purgeDue) await this.tryPurge();
    if (doubtful) await this.vacuum().catch(() => (this.checked = true));
    this.scheduleIdle();
    this.syncing.begin();
  }

  stop(): void {
    this.stopped = true;
    this.python.stop_reading();
    this.modelFile.cancel();
    clearTimeout(this.idleTimer);
    clearTimeout(this.purgeTimer);
    this.imports.stop();
    this.syncing.stop();
  }

  /** Answers a request. The same id is run once, however often it arrives. */
  handle(request: Request): Promise<Reply> {
    const known = this.running.get(request.id);
    if (known) return known;
    const reply = this.answer(request).finally(() => this.running.delete(request.id));
    this.running.set(request.id, reply);
    return reply;
  }

  /** What Python calls. */
  static bridge(host: () => Host, emit: (event: HostEvent) => void, port: ModelPort): object {
    return {
      // False where saving failed: then nothing may happen that must not be forgotten.
      durable: async () => (await host().save()) || host().saver.log === null,
      chat: (json: string) => emit({ event: "chat", detail: JSON.parse(json) as Record<string, unknown> }),
      why_not: explainer(),
      syncing: (json: string) => host().syncing.told(JSON.parse(json) as SyncProgress),
      port_ask: (id: string, turns: string) => port.ask(id, turns),
      port_next: (id: string) => port.next(id),
      port_end: (id: string) => port.end(id),
    };
  }

  private async answer(request: Request): Promise<Reply> {
    const { id } = request;
    try {
      if (request.v !== RPC_VERSION) {
        throw new Fault("version", "This tab runs another version of the program. Reload it.", "VersionError");
      }
      if (request.again) {
        const stored = await this.saver.log?.reply(id);
        if (stored) return { id, value: stored.reply };
      }
      return { id, value: await this.run(request) };
    } catch (error) {
      // Python cannot go on. What it had not committed is lost with it; the last save is whole.
      if ((error as { pyodide_fatal_error?: boolean }).pyodide_fatal_error) this.giveUp();
      return { id, error: toRemote(error) };
    }
  }

  private run(request: Request): Promise<string | Blob> | string | Blob {
    const { kwargs } = request;
    switch (request.method) {
      case "flush":
        return this.flush();
      case "cancel":
        return JSON.stringify({ value: this.python.cancel(String(kwargs["message_id"])) });
      case "use_model":
        this.model = null;
        this.python.stop_reading();
        this.readFrom = 0;
        return this.chooseModel().then(() => {
          this.scheduleIdle();
          return '{"value": null}';
        });
      case "probe_model":
        return this.probeModel(String(kwargs["address"]), String(kwargs["language"]));
      case "fetch_model":
        return this.modelFile.fetch(String(kwargs["address"]));
      case "cancel_fetch":
        this.modelFile.cancel();
        return '{"value": null}';
      case "open_incognito":
        return this.openIncognito(String(kwargs["id"]));
      case "close_incognito":
        this.python.close_incognito(String(kwargs["id"]));
        return '{"value": null}';
      case "sync_state":
        return this.syncing.state().then(asValue);
      case "sync_on":
        return this.syncing.switchOn(String(kwargs["address"])).then(asValue);
      case "sync_now":
        return this.syncing.syncNow().then(asValue);
      case "sync_pause":
        this.syncing.pause();
        return asValue();
      case "sync_off":
        return this.syncing.switchOff().then(asValue);
      case "undo_sync":
        return this.syncing.undo();
      case "finish_forgetting":
        return this.finishForgetting().then(asValue);
      case "exportFile":
        return this.exportFile(kwargs);
      case "previewFiles":
        return this.imports.preview(request);
      case "importFiles":
        return this.arrive(() => this.imports.add(request));
      case "cancelImport":
        this.imports.cancel(String(kwargs["id"]));
        return '{"value": null}';
      case "rawFile":
        return this.saver.file.toBlob();
      case "importFile":
        return this.importFile(kwargs["file"] as Blob, kwargs["mode"] === "replace" ? "replace" : "merge");
      case "stateBefore":
        return this.stateBefore();
      case "goBack":
        return this.goBack(kwargs["generation"]);
      case "vacuum":
        return this.vacuum();
      case "check":
        return this.checkNow();
      case "compact":
        return this.compact().then(() => '{"value": null}');
      default:
        return this.call(request);
    }
  }

  private async flush(): Promise<string> {
    if (!(await this.saver.save()) && this.saver.log) {
      throw new Fault("unsaved", "The memory could not be saved. It is kept in this tab; export it to be safe.");
    }
    return '{"value": null}';
  }

  /** A method of MemoryStore or ChatAgent. Answers once what it changed has settled. */
  private async call(request: Request): Promise<string> {
    await this.enter();
    try {
      const { id, method } = request;
      const isChat = method === "chat_round";
      if (isChat) this.python.stop_reading();
      if (isChat) await this.chooseModel();
      const before = this.saver.file.writes;
      const outcome = this.python.dispatch(method, JSON.stringify(request.kwargs), id);
      // Without a pause between a call and its save, the reply lands in the same transaction as the change.
      const reply = typeof outcome === "string" ? outcome : await outcome;
      // Of an incognito chat nothing is stored, its replies neither.
      if (request.kwargs["incognito"] !== undefined) return reply;
      if (this.saver.file.writes === before && !isChat) return reply;
      // A round is resumed by its message, so its reply need not be stored.
      const extra = isChat ? { settled: [id] } : { reply: { id, at: Date.now(), reply } };
      await this.save(extra);
      this.noteChange(method);
      return reply;
    } finally {
      this.leave();
    }
  }

  private memoryToSync(): ConstructorParameters<typeof Syncing>[2] {
    const { python } = this;
    const call = (method: string, kwargs: object = {}): Promise<string> =>
      this.call({ v: RPC_VERSION, id: uuid7(), method, kwargs: { ...kwargs } });
    return {
      sync: (url, token) => call("sync", { url, token }),
      stop: () => python.stop_sync_now(),
      status: () => unwrap(python.dispatch("sync_status", "{}", "") as string) as { on: boolean },
      file: () => this.exportWhole(),
      goBack: (file) => this.undoSync(file),
      end: async () => void (await call("stop_sync")),
    };
  }

  /** Everything, in the state it is in. */
  private async exportWhole(): Promise<Blob> {
    await this.enter();
    const name = this.nextFile();
    try {
      this.python.image(`${this.folder.path}/${name}`);
      return this.folder.get(name).toBlob();
    } finally {
      this.folder.remove(name);
      this.leave();
    }
  }

  private async undoSync(file: Blob): Promise<string> {
    const batches = await readUntrusted(file);
    const report = await this.rewrite((path) => {
      this.python.image(path);
      const text = this.python.undo_sync(path, batches);
      unwrap(text);
      return text;
    }, { purge: false, changed: true });
    this.emit({ event: "changed", detail: { method: "importFile" } });
    return report;
  }

  private chooseModel(): Promise<void> {
    this.model ??= (async () => {
      const { choice, file, reads } = await readSettings(this.database);
      const key = choice.kind === "server" ? await readKey(this.database, choice.address) : null;
      this.python.use_model(JSON.stringify({ ...choice, key, name: choice.kind === "device" ? file?.name : undefined }));
      this.reads = reads === true && choice.kind !== "offline";
    })();
    this.model.catch(() => (this.model = null));
    return this.model;
  }

  /** Asks a server, which the user is connecting, for its models. */
  private async probeModel(address: string, language: string): Promise<string> {
    const key = await readKey(this.database, address);
    return this.python.probe_model(JSON.stringify({ address, key, language }));
  }

  /** It lies in Python's memory alone, and goes when it is closed or its tab is, however that ends. */
  private async openIncognito(id: string): Promise<string> {
    await this.enter();
    try {
      const opened = this.python.open_incognito(id);
      if ("locks" in navigator) {
        void navigator.locks.request(incognitoLock(this.database, id), () => this.stopped || this.python.close_incognito(id));
      }
      return opened;
    } finally {
      this.leave();
    }
  }

  /** What was forgotten goes to disk together with the order to remove its traces. */
  private save(extra: Extra = {}): Promise<boolean> {
    const forgottenUntil = this.python.take_forgotten();
    if (forgottenUntil > 0) this.schedulePurge(forgottenUntil);
    return this.saver.save({ ...extra, purge: forgottenUntil > 0 });
  }

  /** `format` "db" (the default), "jsonl" or "markdown"; `session_id`: that session alone. */
  private async exportFile({ format = "db", ...options }: Record<string, unknown>): Promise<Blob> {
    await this.enter();
    const name = this.nextFile();
    try {
      if (format !== "db") {
        const parts: string[] = [];
        unwrap(this.python.export_text(JSON.stringify({ format, ...options }), (part) => parts.push(part)));
        return new Blob(parts);
      }
      const { session_id: session } = options as { session_id?: string };
      unwrap(this.python.export_image(`${this.folder.path}/${name}`, session));
      return this.folder.get(name).toBlob();
    } finally {
      this.folder.remove(name);
      this.leave();
    }
  }

  /** The file is merged into a copy, which then becomes the memory: all of it arrives, or nothing has changed. */
  private async importFile(file: Blob, mode: "merge" | "replace"): Promise<string> {
    const batches = await readUntrusted(file);
    const make = (path: string): string => {
      this.python.image(path);
      const text = this.python.import_into(path, batches, mode);
      unwrap(text);
      return text;
    };
    const report = await this.arrive(() => this.rewrite(make, { purge: false, changed: true }));
    this.emit({ event: "changed", detail: { method: "importFile" } });
    return report;
  }

  private stateBefore(): Promise<string> {
    return this.maintain(async () => {
      const before = await this.saver.log?.before();
      if (!before) return '{"value": null}';
      const { file, ...known } = before;
      const name = this.nextFile();
      try {
        const counts = unwrap(this.python.compare(this.folder.add(name, file))) as object;
        return JSON.stringify({ value: { ...known, ...counts } satisfies object });
      } finally {
        this.folder.remove(name);
      }
    });
  }

  /** Imported like a file that replaces everything: what was forgotten since stays away, and the present is kept. */
  private async goBack(generation: unknown): Promise<string> {
    const before = await this.maintain(async () => this.saver.log?.before());
    if (!before || before.generation !== generation) {
      throw new Fault("no_state_before", "The older state is no longer kept. Nothing was changed.");
    }
    return this.importFile(before.file.toBlob(), "replace");
  }

  private async vacuum(): Promise<string> {
    await this.rewrite((path) => this.python.image(path), { purge: false, changed: false });
    return '{"value": null}';
  }

  /** Removes the traces of deletions from index, log and older generations. */
  private async purge(): Promise<void> {
    await this.rewrite((path) => {
      this.python.optimize();
      this.python.image(path);
    }, { purge: true, changed: false });
    await this.syncing.dropCopy();
    this.syncing.changed(); // what can no longer be undone may leave now
  }

  /** Not left to idle time, which a busy page may never have; it takes as long as a few saves. */
  private async fold(): Promise<void> {
    this.folding = true;
    // Where it fails nothing is lost, and the next save tries again.
    await this.maintain(async () => this.saver.log?.fold(this.saver.file, this.saver.settled)).catch(() => undefined);
    this.folding = false;
  }

  private compact(): Promise<void> {
    return this.maintain(async () => {
      await this.saver.log?.compact(this.saver.file, this.saver.settled);
      this.emitStatus();
    });
  }

  /**
   * Makes a new file with `make` and puts it in the place of the present one. Waits until no request is running and
   * holds back others meanwhile.
   */
  private rewrite<T>(make: (path: string) => T, options: { purge: boolean; changed: boolean }): Promise<T> {
    return this.maintain(async () => {
      this.python.stop_reading();
      this.syncing.interrupt();
      while (this.active > 0) await new Promise<void>((resolve) => this.wake.push(resolve));
      this.closed = true;
      const name = this.nextFile();
      try {
        const value = await this.saver.exclusive(async () => {
          const made = make(`${this.folder.path}/${name}`);
          const file = this.folder.get(name);
          await this.saver.log?.replace(file, options);
          this.python.adopt(`${this.folder.path}/${name}`);
          this.folder.remove(this.fileName);
          this.saver.file = file;
          this.fileName = name;
          return made;
        });
        await this.saver.save();
        return value;
      } finally {
        if (this.fileName !== name) this.folder.remove(name);
        this.closed = false;
        this.wakeAll();
        this.emitStatus();
      }
    });
  }

  /** Compaction and rewriting exclude each other. */
  private maintain<T>(work: () => Promise<T>): Promise<T> {
    const next = this.maintenance.then(() => this.unlessStopped(work));
    this.maintenance = next.catch(() => undefined);
    return next;
  }

  /** What comes from elsewhere comes one after the other, each as a whole. */
  private arrive<T>(work: () => Promise<T>): Promise<T> {
    const next = this.arrival.then(() => this.unlessStopped(work));
    this.arrival = next.catch(() => undefined);
    return next;
  }

  private unlessStopped<T>(work: () => Promise<T>): Promise<T> {
    if (this.stopped) throw new Fault("stopped", "This tab no longer owns the memory.");
    return work();
  }

  private schedulePurge(at: number): void {
    clearTimeout(this.purgeTimer);
    this.purgeTimer = setTimeout(() => void this.tryPurge(), Math.max(0, at - Date.now()) + UNDO_MARGIN_MS);
  }

  /** The deletion itself has been saved; where its traces cannot go yet, as on a full disk, it is tried again. */
  private async tryPurge(): Promise<void> {
    try {
      await this.purge();
    } catch (error) {
      if (this.stopped) return;
      this.emit({ event: "error", detail: toRemote(error) });
      this.schedulePurge(Date.now() + PURGE_RETRY_MS);
    }
  }

  /** The user goes on with another memory: what was forgotten here is not left until this one is opened again. */
  private async finishForgetting(): Promise<void> {
    if (!this.saver.log?.purgeDue) return;
    clearTimeout(this.purgeTimer);
    try {
      await this.purge();
    } catch (error) {
      this.schedulePurge(Date.now() + PURGE_RETRY_MS);
      throw error;
    }
  }

  private noteChange(method: string): void {
    this.wrote = true;
    if (this.saver.log?.needsFolding && !this.folding) void this.fold();
    this.emit({ event: "changed", detail: { method } });
    if (method !== "sync") this.syncing.changed();
  }

  /** Runs `work` as a part of a request. */
  private async during<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    while (this.closed) await new Promise<void>((resolve) => this.wake.push(resolve));
    this.active += 1;
    clearTimeout(this.idleTimer);
  }

  private leave(): void {
    this.active -= 1;
    this.readFrom = Math.max(this.readFrom, Date.now() + READ_AFTER_MS);
    if (this.active > 0) return;
    this.wakeAll();
    this.scheduleIdle();
  }

  private wakeAll(): void {
    const waiting = this.wake;
    this.wake = [];
    for (const resolve of waiting) resolve();
  }

  private scheduleIdle(delay = IDLE_MS): void {
    clearTimeout(this.idleTimer);
    if (!this.stopped) this.idleTimer = setTimeout(() => void this.idle(), delay);
  }

  /** One piece of housekeeping. Comes again until there is none left. */
  private async idle(): Promise<void> {
    if (this.active > 0 || this.closed || this.stopped) return;
    try {
      if (this.wrote) {
        this.wrote = this.python.idle_work(IDLE_SLICE_MS);
        if (this.saver.dirty > 0) await this.saver.save();
        if (this.python.take_disputed()) this.emit({ event: "changed", detail: { method: "consolidate" } });
        this.scheduleIdle(IDLE_PAUSE_MS);
      } else if (!this.checked) {
        this.checked = true;
        await this.check();
        this.scheduleIdle();
      } else if (this.saver.log?.needsCompaction(this.saver.file)) {
        await this.compact();
        this.scheduleIdle();
      } else {
        await this.chooseModel().catch(() => undefined);
        if (this.reads) await this.readAlong();
      }
    } catch (error) {
      this.emit({ event: "error", detail: toRemote(error) });
    }
  }

  /** One step of the model in idle time. A message or a rewriting of the memory stops it, and it is made again. */
  private async readAlong(): Promise<void> {
    const wait = this.readFrom - Date.now();
    if (wait > 0) return this.scheduleIdle(wait);
    this.active += 1;
    let outcome: keyof typeof READ_AGAIN_MS = "failed";
    try {
      outcome = (await this.python.read_along()) as keyof typeof READ_AGAIN_MS;
      if (outcome !== "read") return;
      this.wrote = true;
      if (this.saver.dirty > 0) await this.saver.save();
      this.emit({ event: "changed", detail: { method: "read_along" } });
    } finally {
      this.readFrom = Date.now() + READ_AGAIN_MS[outcome];
      this.leave();
    }
  }

  /** What SQLite finds wrong. If there is anything, idle time goes back to the last whole state. */
  private checkNow(): string {
    const problems = this.python.check();
    if (problems !== "[]") {
      this.checked = false;
      this.scheduleIdle();
    }
    return `{"value": ${problems}}`;
  }

  private async check(): Promise<void> {
    const problems = JSON.parse(this.python.check()) as string[];
    if (problems.length === 0) return;
    this.emit({ event: "error", detail: { name: "DatabaseCorruptError", message: problems[0] ?? "", code: "damaged" } });
    if (!this.saver.log) return;
    await this.saver.log.markSuspect();
    this.giveUp();
  }

  private giveUp(): void {
    this.stop();
    this.restart();
  }

  private nextFile(): string {
    this.files += 1;
    return `memory-${Date.now()}-${this.files}.db`;
  }

  private emitStatus(): void {
    this.emit({ event: "status", detail: this.status() });
  }
}

const asValue = (value: object | void): string => JSON.stringify({ value: value ?? null });
