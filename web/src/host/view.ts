/**
 * What a page showed last, so that the next one shows it before Python has started. It lies beside the memory: what
 * takes something away from the memory takes the view away in the same transaction, and what was read before that can
 * no longer be kept.
 */

import { uuid7 } from "./ids";
import { type Connection, result } from "./idb";

const [TEXT, MARK] = ["text", "mark"];

export interface KeptView {
  text: string | null;
  /** Another one each time the view is dropped. */
  mark: string | null;
}

export function readView(connection: Connection): Promise<KeptView> {
  return connection.run(["view"], "readonly", async (transaction) => {
    const store = transaction.objectStore("view");
    const [text, mark] = [store.get(TEXT), store.get(MARK)].map((request) => result<string | undefined>(request));
    return { text: (await text) ?? null, mark: (await mark) ?? null };
  });
}

/** Does nothing if the view has been dropped since `mark` was read. */
export function keepView(connection: Connection, text: string, mark: string | null): Promise<void> {
  return connection.run(["view"], "readwrite", async (transaction) => {
    const store = transaction.objectStore("view");
    const now = (await result<string | undefined>(store.get(MARK))) ?? null;
    if (now === mark) store.put(text, TEXT);
  });
}

export function dropView(transaction: IDBTransaction): void {
  const store = transaction.objectStore("view");
  store.delete(TEXT);
  store.put(uuid7(), MARK);
}
