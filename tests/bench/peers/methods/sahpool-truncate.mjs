import { openWith } from "./sahpool.mjs";

/** With a rollback journal NORMAL makes a commit durable too, and syncs once less. */
export const open = () => openWith(["locking_mode=exclusive", "journal_mode=truncate", "synchronous=normal"]);
