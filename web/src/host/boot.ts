/** Starts Python in this worker: from the site's own files only, with no package index. */

import type { EmscriptenFS } from "./blockfile";
import { makeRoom, unpack } from "../../boot-image.mjs";
import { dropImage, keptImage } from "./image";

/** The part of Pyodide that is used here. */
export interface Pyodide {
  FS: EmscriptenFS;
  pyimport(name: string): PyModule;
}
interface PyModule {
  start(path: string, bridge: object): PyHost;
  read_file(path: string, emit: (batch: string) => void): string;
  look_into(files: string, note: (bytes: number, total: number) => void): string;
  read_chats(files: string, options: string, note: (bytes: number, total: number) => void): { next(): string };
  seed(): void;
}

/** `py_memory.browser.Host`. Values cross as JSON text {"value"} or {"error"}. */
export interface PyHost {
  dispatch(method: string, kwargs: string, id: string): string | Promise<string>;
  cancel(id: string): boolean;
  /** Who answers from now on: a choice of models/settings.ts with the key of its server, as JSON text. */
  use_model(settings: string): void;
  /** One step of reading along: "read", "nothing", "stopped" or "failed". */
  read_along(): Promise<string>;
  stop_reading(): void;
  /** A running sync ends after its present step. */
  stop_sync_now(): void;
  /** Makes the copy at `path` what the rows tell of before the first sync. JSON text {"value"} or {"error"}. */
  undo_sync(path: string, batches: string[]): string;
  /** The models of a server {address, key}, which is asked for them. */
  probe_model(server: string): Promise<string>;
  open_incognito(id: string): string;
  close_incognito(id: string): void;
  in_transaction(): boolean;
  /** Until when (ms) what was forgotten since the last call can be undone; 0 if nothing was. */
  take_forgotten(): number;
  /** One slice of housekeeping; true if there is more. */
  idle_work(budgetMs: number): boolean;
  /** Whether housekeeping has put facts to the user since the last call. */
  take_disputed(): boolean;
  /** JSON list of what SQLite's quick check finds. */
  check(): string;
  /** What the older state at `path` holds and lacks, as JSON text {"value"} of a `StateBefore` without its time. */
  compare(path: string): string;
  optimize(): void;
  image(path: string): void;
  export_image(path: string, session: string | undefined): string;
  /** Options of MemoryStore.export_text() as JSON text. */
  export_text(options: string, emit: (part: string) => void): string;
  import_into(path: string, batches: string[], mode: string): string;
  begin_import(id: string, product: string): void;
  add_entries(id: string, entries: string): string;
  end_import(id: string, how: "done" | "cancelled" | "failed"): string;
  adopt(path: string): void;
  close(): void;
}

const root = new URL("..", self.location.href);

/** Restores the boot image where it is at hand, which takes a fraction of the time; else starts Python anew. */
export async function loadPython(): Promise<Pyodide> {
  const program = loadProgram();
  const image = await keptImage();
  if (!image) return start(await program, __BUILD__.python);
  try {
    const bytes = image.arrayBuffer().then((buffer) => unpack(new Uint8Array(buffer)));
    const pyodide = await start(await program, __BUILD__.rest, { _loadSnapshot: bytes }, bytes);
    // Everybody's image begins with the same state of it.
    pyodide.pyimport("random").seed();
    performance.mark("py-memory:boot-image");
    return pyodide;
  } catch {
    await dropImage();
    return start(await program, __BUILD__.python);
  }
}

interface Program {
  loadPyodide(options: object): Promise<Pyodide>;
  createPyodideModule(settings: object): Promise<unknown>;
  wasm: Promise<WebAssembly.Module>;
}

// Taken once: a start that fails half-way must not leave its own in the place of the browser's.
const { instantiateStreaming } = WebAssembly;
const indexURL = new URL(__BUILD__.pyodide, root).href;

/** Everything that does not wait for the image. */
async function loadProgram(): Promise<Program> {
  const wasm = WebAssembly.compileStreaming(fetch(`${indexURL}pyodide.asm.wasm`));
  wasm.catch(() => undefined);
  const [{ loadPyodide }, { default: createPyodideModule }] = (await Promise.all([
    import(`${indexURL}pyodide.mjs`),
    import(`${indexURL}pyodide.asm.mjs`),
  ])) as [Pick<Program, "loadPyodide">, { default: Program["createPyodideModule"] }];
  return { loadPyodide, createPyodideModule, wasm };
}

function start(
  { loadPyodide, createPyodideModule, wasm }: Program,
  library: string,
  options = {},
  image: Promise<Uint8Array> | null = null,
): Promise<Pyodide> {
  return loadPyodide({
    indexURL,
    stdLibURL: new URL(library, root).href,
    lockFileContents: __BUILD__.packages,
    createPyodideModule: (settings: object) => {
      instantiateNext(wasm, image);
      return createPyodideModule(settings);
    },
    ...options,
  });
}

/** Pyodide would begin to compile when the image has been read; by then it is done, and this hands it over. */
function instantiateNext(wasm: Promise<WebAssembly.Module>, image: Promise<Uint8Array> | null): void {
  WebAssembly.instantiateStreaming = async (source, imports) => {
    WebAssembly.instantiateStreaming = instantiateStreaming;
    void Promise.resolve(source).then((response) => response.body?.cancel());
    const module = await wasm;
    const instance = await WebAssembly.instantiate(module, imports);
    if (image) makeRoom(instance, await image);
    return { module, instance };
  };
}
