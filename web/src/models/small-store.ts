/** A few small values in an IndexedDB database of their own, beside the memory and never in it. */

export class SmallStore<Name extends string> {
  constructor(
    private readonly database: string,
    private readonly names: readonly Name[],
  ) {}

  /** One transaction on one store. Undefined where there is nothing to read: a browser gets no database for asking. */
  async in<T>(
    name: Name,
    mode: IDBTransactionMode,
    ask: (store: IDBObjectStore) => { readonly result: T },
  ): Promise<T | undefined> {
    if (!("indexedDB" in globalThis)) return undefined;
    if (mode === "readonly" && !(await this.exists())) return undefined;
    const db = await this.open().catch((error: unknown) => {
      if (mode === "readonly" && isNoStorage(error)) return undefined; // where nothing is kept, nothing was chosen
      throw error;
    });
    if (!db) return undefined;
    try {
      return await new Promise((resolve, reject) => {
        const transaction = db.transaction(name, mode, { durability: "strict" });
        const request = ask(transaction.objectStore(name));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onabort = () => reject(transaction.error ?? new DOMException("Transaction aborted", "AbortError"));
      });
    } finally {
      db.close();
    }
  }

  private async exists(): Promise<boolean> {
    const list = (indexedDB as Partial<IDBFactory>).databases;
    if (!list) return true;
    return (await list.call(indexedDB)).some(({ name }) => name === this.database);
  }

  private open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open(this.database, 1);
      request.onupgradeneeded = () => this.names.forEach((name) => request.result.createObjectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error(`${this.database} cannot be opened.`));
    });
  }
}

/** As in a private window of some browsers. */
function isNoStorage(error: unknown): boolean {
  return error instanceof DOMException && ["SecurityError", "InvalidStateError"].includes(error.name);
}
