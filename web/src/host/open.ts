/** Opens the memory as its owner: what is stored and Python are loaded side by side; nothing is written until both are. */

import { BlockFolder } from "./blockfile";
import type { PyHost, Pyodide } from "./boot";
import { Fault, toRemote } from "./fault";
import { Host } from "./host";
import { BlockedError, Connection, GoneError, renewLog } from "./idb";
import { Log, LostOwnershipError } from "./log";
import { type Candidate, type Loaded, emptyCandidate, load, salvage } from "./restore";
import { FIRST_GENERATION } from "./format";
import type { ModelPort } from "./port";
import { BOOT_STEPS, type BootStep, type HostEvent, type Recovery, type StartOptions, type StopReason } from "./rpc";
import { Saver } from "./saver";

export interface Surroundings {
  /** Web Locks exist. Without them two tabs could write at once, so nothing is kept. */
  locks: boolean;
  warning: string | null;
  port: ModelPort;
  emit(event: HostEvent): void;
  /** Reports why the memory cannot be opened and waits for the user's choice. */
  ask(error: unknown, choices: Recovery[]): Promise<Recovery>;
  sendRaw(file: Blob | null): void;
  stop(reason: StopReason): void;
}

interface Opened {
  python: PyHost;
  candidate: Candidate;
  name: string;
  /** The user has chosen it although SQLite finds it damaged. */
  doubtful?: boolean;
}

const NOTHING: Loaded = { manifest: null, candidates: [emptyCandidate(FIRST_GENERATION)], damaged: false, last: "" };

export async function openHost(
  options: StartOptions,
  around: Surroundings,
  booting: Promise<Pyodide>,
): Promise<Host> {
  const { emit } = around;
  const step = (name: BootStep): void =>
    emit({ event: "boot", detail: { step: name, done: BOOT_STEPS.indexOf(name), total: BOOT_STEPS.length } });
  step("load");
  booting.catch(() => undefined);
  const connection = around.locks ? await connect(options) : null;
  const renewed = connection ? renewLog(options.database) : undefined;
  let loaded = connection ? await load(connection) : NOTHING;
  step("restore");
  const pyodide = await booting;
  await renewed;
  step("python");

  const folder = new BlockFolder(pyodide.FS, "/memory");
  const module = pyodide.pyimport("py_memory.browser");
  const bridge = Host.bridge(() => host, emit, around.port);
  const start = (path: string): PyHost => module.start(path, bridge);
  let opened = tryCandidates(loaded, folder, start);
  if (!opened && connection && !loaded.damaged) {
    loaded = await load(connection, true);
    opened = tryCandidates(loaded, folder, start);
  }
  opened ??= await recover(connection as Connection, loaded, folder, start, around);
  step("open");

  const { python, candidate, name, doubtful = false } = opened;
  const reason = loaded.damaged ? "A stored part of the memory was damaged." : "";
  const log = connection && new Log(connection, loaded, candidate, reason);
  await log?.claim().catch((error: unknown) => {
    if (error instanceof LostOwnershipError) throw error;
    emit({ event: "error", detail: toRemote(error) });
  });
  const evicted = log !== null && loaded.manifest === null && options.expected;
  const warning = whatToSay({ ...around, stored: connection !== null, evicted, damaged: loaded.damaged });
  const saver = new Saver(candidate.file, log, () => python.in_transaction(), {
    state: (state) => {
      emit({ event: "status", detail: host.status() });
      if (state === "saved") emit({ event: "saved", detail: { at: Date.now() } });
    },
    failed: (error) => emit({ event: "error", detail: toRemote(error) }),
    lost: () => around.stop("taken"),
  });
  const host = new Host(options.database, python, folder, name, saver, warning, emit, () => around.stop("damaged"));
  await host.finishStart(doubtful);
  if (loaded.damaged) report("restored", "A part of the stored memory was damaged; the last whole state is shown.");
  if (evicted) report("evicted", "The browser has removed what was stored here. Import a backup to get it back.");
  return host;

  function report(code: string, message: string): void {
    emit({ event: "error", detail: { name: "MemoryError", message, code } });
  }
}

/** Null where the browser offers no storage, as in some private windows. */
async function connect({ database, create }: StartOptions): Promise<Connection | null> {
  if (!("indexedDB" in self)) return null;
  const connection = new Connection(database, create);
  try {
    await connection.open();
    return connection;
  } catch (error) {
    if (error instanceof BlockedError) throw new Fault("blocked", error.message);
    if (error instanceof GoneError) throw error;
    if ((error as Error).name === "VersionError") throw error; // what is stored is newer than this program
    return null;
  }
}

/** The newest state that opens; where something was damaged it must also pass SQLite's check. */
function tryCandidates(loaded: Loaded, folder: BlockFolder, start: (path: string) => PyHost): Opened | null {
  for (const [i, candidate] of loaded.candidates.entries()) {
    const name = `candidate-${i}.db`;
    try {
      const python = start(folder.add(name, candidate.file));
      if (!loaded.damaged || python.check() === "[]") return { python, candidate, name };
      python.close();
    } catch (error) {
      // Nothing is wrong with the file; an older state would not be what the user wants.
      if (toRemote(error).name === "NewerDatabaseError") throw error;
    }
    folder.remove(name);
  }
  return null;
}

/** `start` throws where a file cannot even be opened. */
function tryDoubtful(candidate: Candidate, folder: BlockFolder, start: (path: string) => PyHost): Opened | null {
  const name = "previous.db";
  try {
    return { python: start(folder.add(name, candidate.file)), candidate, name, doubtful: true };
  } catch {
    folder.remove(name);
    return null;
  }
}

async function recover(
  connection: Connection,
  loaded: Loaded,
  folder: BlockFolder,
  start: (path: string) => PyHost,
  around: Surroundings,
): Promise<Opened> {
  const error = new Fault("damaged", "No stored state of the memory is whole.", "DatabaseCorruptError");
  const { current, previous } = loaded.manifest as NonNullable<Loaded["manifest"]>;
  const former = loaded.candidates.find(({ generation }) => generation.generation === previous?.generation);
  const before = former ? tryDoubtful(former, folder, start) : null;
  const choices: Recovery[] = before ? ["raw", "previous", "empty"] : ["raw", "empty"];
  let choice: Recovery;
  while ((choice = await around.ask(error, choices)) === "raw") {
    around.sendRaw((await salvage(connection, current))?.toBlob() ?? null);
  }
  // Whatever the chosen state does not use goes to quarantine when that is claimed: nothing is deleted.
  if (before && choice === "previous") return before;
  before?.python.close();
  const candidate = emptyCandidate({ ...FIRST_GENERATION, log: [current.generation + 1, 1], generation: -1 });
  return { python: start(folder.add("empty.db", candidate.file)), candidate, name: "empty.db" };
}

function whatToSay(found: {
  locks: boolean;
  stored: boolean;
  evicted: boolean;
  damaged: boolean;
  warning: string | null;
}): string | null {
  if (!found.locks) return "no_locks";
  if (!found.stored) return "no_storage";
  if (found.damaged) return "restored";
  if (found.evicted) return "evicted";
  return found.warning;
}
