/** Reads a file that nobody trusts in a worker of its own, which is thrown away afterwards. */

import { loadPython } from "./boot";
import { Fault, toRemote, unwrap } from "./fault";
import type { FromImport, ToWorker } from "./rpc";

const LARGEST_FILE = 512 * 1024 * 1024;
const SILENCE_MS = 120_000;

/** Rows of the file as batches of JSON text. Rejects with the reason when the file is refused. */
export async function readUntrusted(file: Blob): Promise<string[]> {
  if (file.size > LARGEST_FILE) {
    throw new Fault("too_large", `The file has ${file.size} bytes; at most ${LARGEST_FILE} are accepted.`, "TooLargeError");
  }
  const worker = new Worker(self.location.href, { type: "module", name: "import" });
  const batches: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const alive = (): void => {
        clearTimeout(timer);
        const refused = new Fault("import_hangs", "Reading the file took too long. Nothing was imported.", "ImportRefusedError");
        timer = setTimeout(() => reject(refused), SILENCE_MS);
      };
      alive();
      worker.onerror = (event) => reject(new Fault("import_failed", event.message, "ImportRefusedError"));
      worker.onmessage = ({ data }: MessageEvent<FromImport>) => {
        alive();
        if (data.type === "batch") batches.push(data.batch);
        else if (data.type === "done") resolve();
        else reject(Object.assign(new Error(data.error.message), { name: data.error.name }));
      };
      worker.postMessage({ type: "import", file } satisfies ToWorker);
    });
    return batches;
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}

/** The other side: runs inside the throwaway worker. */
export async function serveImport(file: Blob, post: (message: FromImport) => void): Promise<void> {
  try {
    const [python, bytes] = await Promise.all([loadPython(), file.arrayBuffer()]);
    python.FS.writeFile("/import.db", new Uint8Array(bytes));
    const read = python.pyimport("py_memory.browser").read_file;
    unwrap(read("/import.db", (batch) => post({ type: "batch", batch })));
    post({ type: "done" });
  } catch (error) {
    post({ type: "refused", error: toRemote(error) });
  }
}
