import factory from "/node_modules/@journeyapps/wa-sqlite/dist/wa-sqlite.mjs";
import { OPFSCoopSyncVFS } from "/node_modules/@journeyapps/wa-sqlite/src/examples/OPFSCoopSyncVFS.js";
import { openWith } from "./wa.mjs";

/** With exclusive locking the journal file stays and only its header is cleared at a commit. */
export const open = () =>
  openWith(
    factory,
    (module) => OPFSCoopSyncVFS.create("memory", module),
    ["locking_mode=exclusive", "journal_mode=delete", "synchronous=normal"],
    "OPFSCoopSyncVFS",
  );
