/** Messages between page, worker and the workers of other tabs. A page of another version is told to reload. */

import type { FromPage, PortServer, ToPage } from "../models/port";

export const RPC_VERSION = 1;

export interface Request {
  v: number;
  /** Made by the page; the same request sent again has the same id and is answered once. */
  id: string;
  method: string;
  kwargs: Record<string, unknown>;
  /** Sent before, to an owner that may have died while answering. */
  again?: boolean;
}

export interface RemoteError {
  name: string;
  message: string;
  code?: string;
}

/** `value` is the JSON text {"value"} or {"error"} of py_memory.browser, or a Blob where the answer is a file. */
export type Reply = { id: string; value: string | Blob } | { id: string; error: RemoteError };

export interface KeptGeneration {
  generation: number;
  /** When it was made; null: not known. */
  at: number | null;
}

/** The state of the memory that is kept from before the present generation. */
export interface StateBefore {
  /** Names it in `goBack`. */
  generation: number;
  /** Until when it was the memory (ms UTC); null: not known. */
  at: number | null;
  messages: number;
  facts: number;
  /** What has come since, and is not in it. */
  newer: { messages: number; facts: number };
}

/** What an owner tells every tab about itself. */
export interface OwnerStatus {
  state: "saving" | "saved" | "unsaved";
  generation: number;
  generations: KeptGeneration[];
  dirty: number;
  lastSaved: number | null;
  memoryOnly: boolean;
  warning: string | null;
  written: { records: number; bytes: number; compactions: number; compactedBytes: number };
}

export type HostEvent =
  | { event: "status"; detail: OwnerStatus }
  | { event: "saved"; detail: { at: number } }
  | { event: "changed"; detail: { method: string } }
  | { event: "error"; detail: RemoteError }
  | { event: "chat"; detail: Record<string, unknown> }
  /** The page that serves a model through the port; null: none does. */
  | { event: "model"; detail: { server: PortServer | null } }
  /** A model file is being fetched: bytes of it that are here; `total` where the server tells. */
  | { event: "fetching"; detail: { done: number; total: number | null } }
  /** How far an import of other products' files is. */
  | { event: "import"; detail: ImportProgress }
  /** How syncing stands. */
  | { event: "sync"; detail: SyncState }
  | { event: "boot"; detail: { step: BootStep; done: number; total: number } };

/** Rows sent and received so far, and changes that are still to be sent. */
export interface SyncProgress {
  sent: number;
  received: number;
  left: number;
}

export interface SyncState {
  /** Something is kept here that could be synced. */
  possible: boolean;
  /** It syncs by itself. */
  on: boolean;
  address: string | null;
  running: boolean;
  progress: SyncProgress | null;
  /** Times in ms UTC. */
  lastAt: number | null;
  nextAt: number | null;
  /** Why the last attempt failed: a code of SyncError or an error's name, and `why` where more is known. */
  problem: { code: string; why: string; at: number } | null;
  /** The server, or this device, had to begin anew. */
  restarted: boolean;
  /** What is kept of the memory from before the first sync. */
  copy: { at: number; bytes: number } | null;
}

export interface ImportProgress {
  /** Of the request. */
  id: string;
  /** Read so far, of how many; all files together, unpacked. */
  bytes: number;
  total: number;
  conversations: number;
  messages: number;
}

/** What a worker that reads other products' files is to do: look what is in them, or hand it over part by part. */
export type ReadJob = { kind: "preview" } | { kind: "entries"; only: readonly string[] | null; memories: boolean };

export const BOOT_STEPS = ["lock", "load", "restore", "python", "open"] as const;
export type BootStep = (typeof BOOT_STEPS)[number];

export interface StartOptions {
  /** Name of the IndexedDB database; names.ts makes all other names from it. */
  database: string;
  /** Make the database if it is not there. Otherwise the start fails with the code `gone`. */
  create: boolean;
  /** A content security policy should be in force in the worker. */
  policy: boolean;
  /** The page remembers that a memory was kept here. */
  expected: boolean;
  /** Take the memory from the tab that has it. */
  steal: boolean;
}

/** What can be done when the memory cannot be opened. */
export type Recovery = "raw" | "previous" | "empty";

export type ToWorker =
  | { type: "start"; options: StartOptions }
  | { type: "request"; request: Request }
  | { type: "recover"; choice: Recovery }
  /** From the model that this page runs. */
  | { type: "port"; message: FromPage }
  /** Asks a worker started for this alone to read a file that nobody trusts. */
  | { type: "import"; file: Blob }
  /** Asks such a worker to read other products' files. */
  | { type: "read"; files: readonly File[]; job: ReadJob }
  /** Asks it for the next part. */
  | { type: "next" };

/** The answers to `import`: rows in batches of JSON text, then the end or a refusal. */
export type FromImport = { type: "batch"; batch: string } | { type: "done" } | { type: "refused"; error: RemoteError };

/** The answers to `read`: how far it is, and for each `next` a part as JSON text {"value"} or {"error"}. */
export type FromReading =
  | { type: "progress"; bytes: number; total: number }
  | { type: "part"; part: string }
  | { type: "refused"; error: RemoteError };

export type FromWorker =
  | ({ type: "event" } & HostEvent)
  | { type: "reply"; reply: Reply }
  /** An owner is ready for requests; `epoch` is new for each owner. */
  | { type: "owner"; here: boolean; token: string; status: OwnerStatus }
  /** The memory cannot be opened; waits for `recover`. */
  | { type: "failed"; error: RemoteError; choices: Recovery[] }
  /** Answer to the recovery choice `raw`: what is stored, as it is. */
  | { type: "raw"; file: Blob | null }
  /** For the model that this page runs, or could run. */
  | { type: "port"; message: ToPage }
  /** This worker is of no more use; start another. `behind`: it holds the memory, but what it has read is out of date. */
  | { type: "stopped"; reason: StopReason };

export type StopReason = "taken" | "damaged" | "behind";

export type OnChannel =
  | { type: "hello" }
  | { type: "request"; from: string; request: Request }
  | { type: "reply"; to: string; reply: Reply }
  | { type: "owner"; token: string; status: OwnerStatus }
  | { type: "to-owner"; message: FromPage }
  | { type: "to-pages"; message: ToPage }
  | ({ type: "event" } & HostEvent);
