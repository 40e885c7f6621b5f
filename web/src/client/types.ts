import type { FromPage, PortServer, ToPage } from "../models/port";
import type { ImportProgress, OwnerStatus, Recovery, RemoteError, SyncState } from "../host/rpc";

export interface Status {
  state: "starting" | "saving" | "saved" | "unsaved";
  owner: "this-tab" | "other-tab" | "none";
  /** Counts the rewrites of the stored base. */
  generation: number;
  /** The generation in use and the one before, if that is kept. */
  generations: OwnerStatus["generations"];
  /** Pages (1 KiB) that are not on disk yet. */
  dirty: number;
  /** Milliseconds UTC. */
  lastSaved: number | null;
  /** Whether the browser has promised not to clear the storage; null: not known. */
  persistent: boolean | null;
  /** What became of asking for that: it is done once something has been said. */
  persistence: "unasked" | "granted" | "refused" | "unsupported";
  /** Bytes used and allowed on this origin. */
  usage: number | null;
  quota: number | null;
  /** Nothing is kept beyond this tab. */
  memoryOnly: boolean;
  /** no_locks, no_storage, no_policy, restored, evicted. */
  warning: string | null;
  written: OwnerStatus["written"];
}

/** An error that the page should show. `choices` are for recover(). */
export interface MemoryFault extends RemoteError {
  choices?: Recovery[];
}

export interface PyMemoryEvents {
  /** Something became durable. */
  saved: { at: number };
  error: MemoryFault;
  /** The memory was changed, by this tab or another. */
  changed: { method: string };
  owner: { owner: Status["owner"] };
  /** Steps of starting: lock, load, restore, python, open. */
  boot: { step: string; done: number; total: number };
  /** What happens in a chat round: message, proposals, delta. */
  chat: Record<string, unknown>;
  /** The page that runs a model for all tabs; null: none does. */
  model: { server: PortServer | null };
  /** A model file is being fetched: bytes of it that are here; `total` where the server tells. */
  fetching: { done: number; total: number | null };
  /** How syncing stands, in whichever tab it runs. */
  sync: SyncState;
  /** How far an import of other products' files is, in any tab. */
  import: ImportProgress;
  /** Any part of status() may have changed. */
  status: Status;
}

export interface ExportOptions {
  /** "db" is one SQLite file; "jsonl" the same rows as text; both can be imported. "markdown" is a text to read. */
  format?: "db" | "jsonl" | "markdown";
  /** That session alone. */
  session_id?: string;
  /** Of the headings in Markdown. */
  language?: "en" | "zh";
}

export interface ReadOptions {
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
}

export interface ImportOptions extends ReadOptions {
  /** Ids of the conversations to add, as in the preview; otherwise all of them. */
  only?: readonly string[];
  /** Whether memories that the product had saved become proposals. */
  memories?: boolean;
  /** The format that the preview told, for the report. */
  product?: string;
}

export interface SendOptions {
  text: string;
  session_id?: string | null;
  /** Sent again with the same id, a message is stored and answered once. */
  message_id?: string;
  /** The message of the user that this one is an edit of: it begins a branch beside it. */
  instead_of?: string;
  /** The answer to be given anew, beside the old one; `text` counts for nothing then. */
  again?: string;
  /** Id of an incognito chat, which is its session too: nothing of it is stored anywhere. */
  incognito?: string;
}

export interface PyMemory {
  readonly ready: Promise<void>;
  /**
   * Runs a method of MemoryStore or ChatAgent; rejects with an Error named like the Python class. `open_incognito` {id}
   * begins an incognito chat of this page; with {incognito: id} a method works on that chat, until `close_incognito` {id}
   * or the end of the page.
   */
  call(method: string, kwargs?: Record<string, unknown>): Promise<unknown>;
  /** Resolves when all changes are on disk. */
  flush(): Promise<void>;
  /** The whole memory as one SQLite file, unless something else is asked for. */
  exportFile(options?: ExportOptions): Promise<Uint8Array<ArrayBuffer>>;
  importFile(bytes: Uint8Array<ArrayBuffer>, options?: { mode?: "merge" | "replace" }): Promise<unknown>;
  /**
   * What an import of other products' exports (JSON, zip, a list of memories) would bring, as
   * MemoryStore.preview_import() says. Nothing is changed.
   */
  previewFiles(files: readonly File[], options?: ReadOptions): Promise<unknown>;
  /** Adds them; resolves to the report of MemoryStore.import_chats(). When it is cancelled, what was added stays. */
  importFiles(files: readonly File[], options?: ImportOptions): Promise<unknown>;
  status(): Status;
  /** Returns a function that ends the subscription. */
  on<E extends keyof PyMemoryEvents>(event: E, listener: (detail: PyMemoryEvents[E]) => void): () => void;
  /** Sends a message, even before Python is ready: it is kept on disk until it has been answered. */
  send(options: SendOptions): Promise<unknown>;
  cancel(messageId: string): Promise<boolean>;
  /** Makes this tab the owner. */
  takeOver(): void;
  /** Starts the memory anew in every tab, so that its workers run under the policy as it is now. Incognito chats end. */
  restart(): Promise<void>;
  /** Lets go of the memory for good, and of its lock: another tab, or nobody, keeps it then. What is not saved is lost. */
  close(): void;
  /** The model port, for a page that runs a model itself. */
  readonly port: ModelPortEnd;
  /**
   * `raw`: the file as it is, at any time. After an error with choices, `previous` goes on with the generation before and
   * `empty` starts anew; neither deletes anything.
   */
  recover(choice: "raw"): Promise<Blob | null>;
  recover(choice: "previous" | "empty"): Promise<void>;
}

export interface ModelPortEnd {
  send(message: FromPage): void;
  /** What the worker asks of this page, or of all pages. */
  listen(listener: (message: ToPage) => void): void;
}

export interface OpenOptions {
  /** Name of the IndexedDB database; a further profile uses `py-memory:NAME`. */
  database?: string;
  /** Make the database if it is not there (the default); otherwise `ready` then rejects with the code `gone`. */
  create?: boolean;
  /** Address of the worker script. */
  worker?: string | URL;
  /** Whether a service worker controls the page, so that the worker must run under its policy. A promise is awaited
   * before the worker starts. */
  policy?: boolean | Promise<boolean>;
}
