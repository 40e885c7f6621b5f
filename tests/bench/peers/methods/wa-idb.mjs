import factory from "/node_modules/@journeyapps/wa-sqlite/dist/wa-sqlite-async.mjs";
import { IDBBatchAtomicVFS } from "/node_modules/@journeyapps/wa-sqlite/src/examples/IDBBatchAtomicVFS.js";
import { openWith } from "./wa.mjs";

/** Only FULL is durable there: NORMAL uses relaxed transactions. The cache must hold a transaction. */
export const open = () =>
  openWith(
    factory,
    (module) => IDBBatchAtomicVFS.create("memory", module),
    ["locking_mode=exclusive", "synchronous=full", "cache_size=-16000"],
    "IDBBatchAtomicVFS",
  );
