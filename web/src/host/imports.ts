/**
 * Other products' exports on their way into the memory, some conversations at a time, so that requests are answered in
 * between. Each part is one transaction and is saved before the next is read.
 */

import type { PyHost } from "./boot";
import { Fault, unwrap } from "./fault";
import { Reading } from "./reading";
import type { HostEvent, ReadJob, Request } from "./rpc";
import type { Extra, Saver } from "./saver";

interface Surroundings {
  /** Runs `work` as a part of a request, while the memory is not put into another file. */
  steadily<T>(work: () => Promise<T>): Promise<T>;
  save(extra?: Extra): Promise<boolean>;
  /** The memory is another one now. */
  changed(): void;
}

interface Added {
  conversations: number;
  messages: number;
}

export class Imports {
  /** By the id of the request. */
  private readonly readings = new Map<string, Reading>();

  constructor(
    private readonly python: PyHost,
    private readonly saver: Saver,
    private readonly emit: (event: HostEvent) => void,
    private readonly host: Surroundings,
  ) {}

  /** What an import would bring. */
  async preview({ id, kwargs }: Request): Promise<string> {
    const reading = this.read(id, kwargs["files"] as File[], { kind: "preview" });
    try {
      return await reading.next();
    } finally {
      this.end(id, reading);
    }
  }

  /**
   * Adds the files. What was added before an error is taken back; what was added before it was cancelled stays, and can
   * be undone. Between two parts the memory may be written anew, as after something was forgotten: Python goes on with
   * the new file.
   */
  async add({ id, kwargs }: Request): Promise<string> {
    const { only, memories, product } = kwargs as { only?: string[]; memories?: boolean; product?: string };
    const added = { conversations: 0, messages: 0 };
    const job: ReadJob = { kind: "entries", only: only ?? null, memories: memories !== false };
    const reading = this.read(id, kwargs["files"] as File[], job, added);
    this.python.begin_import(id, product ?? "");
    let how: "done" | "cancelled" | "failed" = "done";
    let failure: unknown;
    try {
      while (await this.addPart(id, reading, added));
    } catch (error) {
      how = reading.cancelled ? "cancelled" : "failed";
      failure = error;
    }
    this.end(id, reading);
    return this.host.steadily(async () => {
      const reply = this.python.end_import(id, how);
      await this.host.save(how === "failed" ? {} : { reply: { id, at: Date.now(), reply } });
      this.host.changed();
      if (how === "failed") throw failure;
      return reply;
    });
  }

  cancel(id: string): void {
    this.readings.get(id)?.cancel();
  }

  stop(): void {
    for (const reading of this.readings.values()) reading.end();
  }

  private read(id: string, files: readonly File[], job: ReadJob, added: Added = { conversations: 0, messages: 0 }): Reading {
    const told = (bytes: number, total: number): void =>
      this.emit({ event: "import", detail: { id, bytes, total, ...added } });
    const reading = new Reading(files, job, told);
    this.readings.set(id, reading);
    return reading;
  }

  private end(id: string, reading: Reading): void {
    reading.end();
    this.readings.delete(id);
  }

  /** Whether there is more. What has been added is on disk by then. */
  private async addPart(id: string, reading: Reading, added: Added): Promise<boolean> {
    const { entries, done } = unwrap(await reading.next()) as { entries: string[]; done: boolean };
    const { saver } = this;
    await this.host.steadily(async () => {
      const list = `[${entries.map((entry) => JSON.stringify(entry)).join()}]`;
      Object.assign(added, unwrap(this.python.add_entries(id, list)));
      if (!(await this.host.save()) && saver.log) {
        throw new Fault("unsaved", "The memory could not be saved. What was imported is taken back.");
      }
      if (saver.log?.needsCompaction(saver.file)) await saver.log.compact(saver.file, saver.settled);
    });
    return !done;
  }
}
