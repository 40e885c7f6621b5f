/** A small IndexedDB database beside the memories: a few values by key, each written in a strict transaction of its own. */

type Asked<T> = { readonly result: T };

export class Beside<Store extends string> {
  constructor(
    private readonly name: string,
    private readonly stores: readonly Store[],
  ) {}

  /** A browser that has never kept anything in it gets no database for asking: the answer is undefined then. */
  async in<T>(store: Store, mode: IDBTransactionMode, ask: (store: IDBObjectStore) => Asked<T>): Promise<T | undefined> {
    if (!("indexedDB" in globalThis)) return undefined;
    if (mode === "readonly" && !(await this.exists())) return undefined;
    const db = await this.open().catch((error: unknown) => {
      if (mode === "readonly" && isNoStorage(error)) return undefined;
      throw error;
    });
    if (!db) return undefined;
    try {
      return await new Promise((resolve, reject) => {
        const transaction = db.transaction(store, mode, { durability: "strict" });
        const request = ask(transaction.objectStore(store));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error ?? new DOMException("Transaction aborted", "AbortError"));
      });
    } finally {
      db.close();
    }
  }

  private async exists(): Promise<boolean> {
    const names = await databaseNames();
    return !names || names.includes(this.name);
  }

  private open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, 1);
      request.onupgradeneeded = () => this.stores.forEach((store) => request.result.createObjectStore(store));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error(`${this.name} cannot be opened.`));
    });
  }
}

/** Of all IndexedDB databases; null where the browser does not tell. */
export async function databaseNames(): Promise<string[] | null> {
  const list = (globalThis.indexedDB as Partial<IDBFactory> | undefined)?.databases;
  if (!list) return null;
  return (await list.call(indexedDB)).flatMap(({ name }) => (name === undefined ? [] : [name]));
}

/** As in a private window of some browsers. */
function isNoStorage(error: unknown): boolean {
  return error instanceof DOMException && ["SecurityError", "InvalidStateError"].includes(error.name);
}
