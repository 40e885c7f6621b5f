/**
 * What a memory is called wherever the browser keeps or guards something of it. Everything is named after its IndexedDB
 * database, so that two memories never meet and whatever belongs to one can be found and deleted.
 */

/** The memory of whoever has made no second one; also that of other people's pages, unless they name another. */
export const DATABASE = "py-memory";

/** A further profile. */
export const profileDatabase = (id: string): string => `${DATABASE}:${id}`;

/** The id of the profile that lies in a database; null for what is none. */
export function profileIn(database: string): string | null {
  const id = database.startsWith(`${DATABASE}:`) ? database.slice(DATABASE.length + 1) : "";
  return /^[\w-]+$/.test(id) ? id : null;
}

// -- Web Locks --

/** Held by the worker that owns the memory. */
export const ownerLock = (database: string): string => `${database}:owner`;
/** Held by the worker that keeps Python ready to take over. */
export const standbyLock = (database: string): string => `${database}:standby`;
/** Its holder is the page that runs a model for all tabs. */
export const queueLock = (database: string): string => `${database}:model`;
/** Held by a page for as long as it runs a model. */
export const servingLock = (server: string): string => `${DATABASE}:model:${server}`;
/** Held by the page that switches syncing on. */
export const switchingLock = (database: string): string => `${database}:switching`;
/** Held by the page that imports other products' files. */
export const importLock = (database: string): string => `${database}:import`;
/** Held by the tab that shows an incognito chat, for as long as it does. Without an id: how all of them begin. */
export const incognitoLock = (database: string, id = ""): string => `${database}:incognito:${id}`;

// -- broadcast channels --

/** Between the owner and the workers of other tabs. */
export const requestChannel = (database: string): string => database;
export const aliveChannel = (database: string): string => `${database}:alive`;
export const restartChannel = (database: string): string => `${database}:restart`;
export const modelsChannel = (database: string): string => `${database}:models`;

// -- what is kept beside the memory --

/** A database that is made and deleted to make the browser begin a new log. */
export const scratchDatabase = (database: string): string => `${database}/new-log`;

/** What a page keeps of a memory in localStorage and sessionStorage. */
export const PAGE_KEYS = ["drafts", "place", "undo", "reloaded", "backup-snoozed", "importing"] as const;
export type PageKey = (typeof PAGE_KEYS)[number];
export const pageKey = (database: string, key: PageKey): string => `${database}:${key}`;

// -- what belongs to no memory in particular --

/** Databases of settings, with an entry for each memory that has any. */
export const MODELS_DATABASE = "py-memory-models";
export const SYNC_DATABASE = "py-memory-sync";

export const PROFILES = {
  database: "py-memory-profiles",
  channel: "py-memory-profiles",
  /** Lock of the page that deletes one. */
  removal: "py-memory-profiles:removal",
  /** What a tab shows, and what a new one begins with. */
  chosen: "py-memory-profile",
  /** What is to be said after a change of profiles. */
  note: "py-memory-profile-note",
};
/** How the page looks, in localStorage. */
export const LOOK = "py-memory-look";
