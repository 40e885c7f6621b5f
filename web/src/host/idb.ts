/** IndexedDB with promises: one connection that is opened again when the browser drops it. */

import { scratchDatabase } from "./names";

export const STORES = {
  manifest: undefined,
  chunks: ["generation", "index"],
  log: ["generation", "seq"],
  replies: "id",
  waiting: "message_id",
  quarantine: "at",
  view: undefined,
} as const;
export type StoreName = keyof typeof STORES;

const VERSION = 3;
const BLOCKED_MS = 5000;

/** Another tab holds an older version of the database open and does not let go. */
export class BlockedError extends Error {
  override name = "BlockedError";
}

/** There is no such database, and it was not to be made. */
export class GoneError extends Error {
  override name = "GoneError";
  readonly code = "gone";
  constructor() {
    super("This memory is no longer there: it was deleted, or the browser has removed it.");
  }
}

/**
 * Makes the browser begin a new write-ahead log. A killed Chromium can leave half a record at the end of its log; it
 * then appends to that log, takes it for damaged at the start after, and deletes all that the origin had stored.
 * Deleting a database is the one request that begins a new log, so
 * the owner does it once, before its first write. It resolves also where this fails, as on a full disk.
 */
export function renewLog(name: string): Promise<void> {
  const scratch = scratchDatabase(name);
  return new Promise((resolve) => {
    const open = indexedDB.open(scratch);
    open.onerror = () => resolve();
    open.onsuccess = () => {
      open.result.close();
      const remove = indexedDB.deleteDatabase(scratch);
      remove.onsuccess = remove.onerror = remove.onblocked = () => resolve();
    };
  });
}

export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB request failed"));
  });
}

const shared = new Map<string, Connection>();

export class Connection {
  private handle: Promise<IDBDatabase> | null = null;

  /** Unless it may `create` the database, using it where it is not there throws a GoneError. */
  constructor(
    readonly name: string,
    private readonly create = true,
  ) {}

  /** One for the whole page: of several that wait for an upgrade, the browser tells only the first that it is blocked. */
  static shared(name: string, create = true): Connection {
    const connection = shared.get(name) ?? new Connection(name, create);
    shared.set(name, connection);
    return connection;
  }

  open(): Promise<IDBDatabase> {
    this.handle ??= this.connect().catch((error: unknown) => {
      this.handle = null;
      throw error;
    });
    return this.handle;
  }

  /**
   * Runs `body` in one transaction and resolves with its value once the transaction is complete. Writing is always
   * strict: complete means on disk. A dropped connection is opened again and the body run once more, so it must be
   * idempotent; awaiting anything but this transaction's own requests ends the transaction.
   */
  async run<T>(
    stores: readonly StoreName[],
    mode: "readonly" | "readwrite",
    body: (transaction: IDBTransaction) => T | Promise<T>,
  ): Promise<T> {
    try {
      return await this.attempt(stores, mode, body);
    } catch (error) {
      if (!isLost(error)) throw error;
      this.close();
      return await this.attempt(stores, mode, body);
    }
  }

  close(): void {
    this.handle?.then((db) => db.close()).catch(() => undefined);
    this.handle = null;
  }

  private async attempt<T>(
    stores: readonly StoreName[],
    mode: "readonly" | "readwrite",
    body: (transaction: IDBTransaction) => T | Promise<T>,
  ): Promise<T> {
    const db = await this.open();
    const transaction = db.transaction(stores, mode, { durability: mode === "readwrite" ? "strict" : "default" });
    const complete = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new DOMException("Transaction aborted", "AbortError"));
    });
    complete.catch(() => undefined);
    try {
      const value = await body(transaction);
      await complete;
      return value;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // It has ended already.
      }
      throw transaction.error ?? error;
    }
  }

  private connect(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, VERSION);
      let timer: ReturnType<typeof setTimeout> | undefined;
      request.onblocked = () => {
        timer = setTimeout(
          () => reject(new BlockedError("Another tab holds the memory open in an older version. Close other tabs.")),
          BLOCKED_MS,
        );
      };
      let gone = false;
      request.onupgradeneeded = ({ oldVersion }) => {
        if (oldVersion === 0 && !this.create) {
          gone = true;
          request.transaction?.abort(); // so that none is left behind
          return;
        }
        for (const [name, keyPath] of Object.entries(STORES)) {
          if (!request.result.objectStoreNames.contains(name)) {
            request.result.createObjectStore(name, keyPath ? { keyPath: keyPath as string | string[] } : {});
          }
        }
      };
      request.onerror = () => {
        clearTimeout(timer);
        reject(gone ? new GoneError() : (request.error ?? new Error("IndexedDB cannot be opened")));
      };
      request.onsuccess = () => {
        clearTimeout(timer);
        const db = request.result;
        // Let a newer version in another tab upgrade; the next use here opens again and reports what it meets.
        db.onversionchange = () => this.close();
        db.onclose = () => {
          this.handle = null;
        };
        resolve(db);
      };
    });
  }
}

function isLost(error: unknown): boolean {
  return (
    error instanceof DOMException &&
    (error.name === "InvalidStateError" || error.name === "UnknownError" || /connection/i.test(error.message))
  );
}
