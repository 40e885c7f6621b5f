import { openWith } from "./sahpool.mjs";

/** In WAL mode only FULL makes a commit durable. */
export const open = () => openWith(["locking_mode=exclusive", "journal_mode=wal", "synchronous=full"]);
