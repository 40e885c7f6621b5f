/** Reads other products' files in a worker of its own: as a stream, part by part, at the pace of whoever adds them. */

import { loadPython } from "./boot";
import { Fault, toRemote } from "./fault";
import type { FromReading, ReadJob, ToWorker } from "./rpc";

const SILENCE_MS = 120_000;
const PROGRESS_MS = 100;
const FOLDER = "/import";

export class Reading {
  private readonly worker = new Worker(self.location.href, { type: "module", name: "import" });
  private ended: Error | null = null;
  private waiting: { resolve(part: string): void; reject(error: Error): void } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(files: readonly File[], job: ReadJob, progress: (bytes: number, total: number) => void) {
    this.worker.onerror = ({ message }) => this.end(new Fault("import_failed", message, "ImportRefusedError"));
    this.worker.onmessage = ({ data }: MessageEvent<FromReading>) => {
      this.alive();
      if (data.type === "progress") progress(data.bytes, data.total);
      else if (data.type === "refused") this.end(Object.assign(new Error(data.error.message), data.error));
      else {
        clearTimeout(this.timer);
        this.waiting?.resolve(data.part);
        this.waiting = null;
      }
    };
    this.send({ type: "read", files, job });
  }

  /** The next part as JSON text {"value"} or {"error"}. */
  next(): Promise<string> {
    if (this.ended) return Promise.reject(this.ended);
    this.alive();
    this.send({ type: "next" });
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject }));
  }

  get cancelled(): boolean {
    return this.ended instanceof Fault && this.ended.code === "cancelled";
  }

  cancel(): void {
    this.end(new Fault("cancelled", "The import was cancelled.", "ImportRefusedError"));
  }

  end(error: Error = new Fault("ended", "Reading has ended.")): void {
    clearTimeout(this.timer);
    this.worker.terminate();
    this.ended ??= error;
    this.waiting?.reject(this.ended);
    this.waiting = null;
  }

  private alive(): void {
    clearTimeout(this.timer);
    const hangs = (): void =>
      this.end(new Fault("import_hangs", "Reading the file took too long. Nothing was imported.", "ImportRefusedError"));
    this.timer = setTimeout(hangs, SILENCE_MS);
  }

  private send(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}

/** The other side. Returns what is to be called for each part. */
export function serveReading(files: readonly File[], job: ReadJob, post: (message: FromReading) => void): () => void {
  let told = 0;
  const note = (bytes: number, total: number): void => {
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    post({ type: "progress", bytes, total });
  };
  const opened = open(files, job, note);
  return () =>
    void opened.then(
      (next) => post({ type: "part", part: next() }),
      (error: unknown) => post({ type: "refused", error: toRemote(error) }),
    );
}

/** The files lie where they are: Python reads slices of them. */
async function open(
  files: readonly File[],
  job: ReadJob,
  note: (bytes: number, total: number) => void,
): Promise<() => string> {
  const { FS, pyimport } = await loadPython();
  FS.mkdirTree(FOLDER);
  FS.mount(FS.filesystems.WORKERFS, { blobs: files.map((data, i) => ({ name: String(i), data })) }, FOLDER);
  const named = JSON.stringify(files.map(({ name }, i) => [`${FOLDER}/${i}`, name]));
  const python = pyimport("py_memory.browser");
  if (job.kind === "preview") return () => python.look_into(named, note);
  const reader = python.read_chats(named, JSON.stringify(job), note);
  return () => reader.next();
}
