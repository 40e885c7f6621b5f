/** Writes the file to IndexedDB: redo records, and new generations of the base. Every transaction checks the epoch. */

import { type BlockFile, CHUNK, PAGE, PAGES_PER_CHUNK } from "./blockfile";
import { deflate } from "./deflate";
import { Fault } from "./fault";
import { FIRST_GENERATION, chunkChecksum, recordChecksum } from "./format";
import type { Chunk, ChunkRecord, Generation, Manifest, RedoRecord } from "./format";
import { type Connection, type StoreName, result } from "./idb";
import { type Candidate, type Loaded, type Tail, assemble, emptyTail, lastRecord, lengthened, recordBytes } from "./restore";
import type { KeptGeneration } from "./rpc";
import { dropView } from "./view";

/** Another tab has taken the memory over; what this one still holds must not be written. */
export class LostOwnershipError extends Error {
  override name = "LostOwnershipError";
  constructor() {
    super("Another tab has taken the memory over. This tab no longer writes to it.");
  }
}

export interface StoredReply {
  id: string;
  at: number;
  reply: string;
}

/** What one save writes. `pages` are copies. */
export interface Save {
  pages: Uint32Array<ArrayBuffer>;
  copies: Uint8Array<ArrayBuffer>;
  size: number;
  replies: StoredReply[];
  /** Ids of waiting messages that have been dealt with. */
  settled: string[];
  /** Asks for a rewrite that removes the traces of a deletion, even if this tab dies. */
  purge: boolean;
}

/** A state to go back to. */
export interface Before {
  /** The generation that came after it. */
  generation: number;
  /** When that was made (ms UTC); null: not known. */
  at: number | null;
  file: BlockFile;
}

export interface Written {
  records: number;
  bytes: number;
  compactions: number;
  compactedBytes: number;
}

const LEAST_LOG = 1024 * 1024;
/** The part of the file that the log may reach: reading it is what a start waits for. */
const LOG_SHARE = 1 / 16;
const FOLD_RECORDS = 64;
const LOG_SHARE_REPLACED = 1 / 2;
const KEEP_REPLIES_MS = 10 * 60 * 1000;

/** Runs its argument while nothing is unsaved and no save is under way. */
export type Settled = <T>(work: () => Promise<T>) => Promise<T>;

export class Log {
  readonly written: Written = { records: 0, bytes: 0, compactions: 0, compactedBytes: 0 };

  private manifest: Manifest;
  private lastSeq: number;
  private logBytes: number;
  private touched: Set<number>;
  private tail: Tail;
  private claimed = false;
  /** What was found at the start, without the file itself, which would be kept alive. */
  private readonly origin: {
    manifest: Manifest | null;
    last: string;
    damaged: boolean;
    generation: Generation;
    reason: string;
  };

  constructor(
    private readonly connection: Connection,
    loaded: Loaded,
    chosen: Candidate,
    reason: string,
  ) {
    const { manifest, last, damaged } = loaded;
    this.origin = { manifest, last, damaged, generation: chosen.generation, reason };
    this.manifest = manifest ?? {
      format: 1,
      epoch: 0,
      current: FIRST_GENERATION,
      previous: null,
      purge: false,
      suspect: false,
    };
    this.lastSeq = chosen.lastSeq;
    this.logBytes = chosen.logBytes;
    this.touched = new Set(chosen.touched);
    this.tail = chosen.tail;
  }

  get generation(): number {
    return this.manifest.current.generation;
  }

  get purgeDue(): boolean {
    return this.manifest.purge;
  }

  /** The one in use, then the one that is kept. */
  get generations(): KeptGeneration[] {
    const { current, previous } = this.manifest;
    return [current, ...(previous ? [previous] : [])].map(({ generation, at = null }) => ({ generation, at }));
  }

  /**
   * Becomes the owner of what was loaded, once it is known to be good. What does not belong to the chosen state goes to
   * quarantine in the same transaction. Throws LostOwnershipError if someone wrote since it was loaded, as a frozen tab
   * may that has not noticed yet that it lost the lock; where it fails otherwise, as on a full disk, the next save tries
   * again first.
   */
  async claim(): Promise<void> {
    if (this.claimed) return;
    const { manifest, last, damaged, generation, reason } = this.origin;
    const stores: StoreName[] = damaged ? ["manifest", "chunks", "log", "quarantine", "view"] : ["manifest", "log"];
    this.manifest = await this.connection.run(stores, "readwrite", async (transaction) => {
      const store = transaction.objectStore("manifest");
      const stored = await result<Manifest | undefined>(store.get("manifest"));
      const isAsLoaded = JSON.stringify(stored ?? null) === JSON.stringify(manifest);
      if (!isAsLoaded || (await lastRecord(transaction)) !== last) throw new LostOwnershipError();
      const claimed: Manifest = { ...this.manifest, epoch: this.manifest.epoch + 1, suspect: false };
      if (stored && damaged) {
        const isCurrent = generation.generation === stored.current.generation;
        // The same chunks with a shorter log, or the state before them.
        claimed.current = { ...generation, generation: stored.current.generation + 1, lastSeq: null };
        claimed.previous = isCurrent ? stored.previous : null;
        await quarantine(transaction, stored, claimed, this.lastSeq, reason);
        dropView(transaction);
      }
      store.put(claimed, "manifest");
      return claimed;
    });
    this.claimed = true;
  }

  /** One save, one transaction. Resolves when it is on disk. */
  async append(save: Save): Promise<void> {
    await this.claim();
    const record = save.pages.length ? await this.makeRecord(save) : null;
    const stores: StoreName[] = ["manifest", "log", "replies", "waiting", "view"];
    await this.connection.run(stores, "readwrite", async (transaction) => {
      // Asked for at once and ended by `commit`: each answer waited for in between would be a way to the browser's own
      // process and back. Where the check fails, the transaction is aborted with all that was put.
      const owned = this.owned(transaction);
      if (record) transaction.objectStore("log").put(record);
      for (const reply of save.replies) transaction.objectStore("replies").put(reply);
      for (const id of save.settled) transaction.objectStore("waiting").delete(id);
      if (save.purge) dropView(transaction);
      const manifest = await owned;
      if (save.purge) transaction.objectStore("manifest").put({ ...manifest, purge: true }, "manifest");
      transaction.commit();
    });
    if (save.purge) this.manifest = { ...this.manifest, purge: true };
    this.written.bytes += save.replies.reduce((sum, { reply }) => sum + reply.length, 0);
    if (!record) return;
    this.lastSeq = record.seq;
    this.logBytes += recordBytes(record);
    this.written.records += 1;
    this.written.bytes += recordBytes(record);
    for (const page of record.pages) this.touched.add(Math.floor(page / PAGES_PER_CHUNK));
    this.tail = lengthened(this.tail, record);
  }

  reply(id: string): Promise<StoredReply | undefined> {
    return this.connection.run(["replies"], "readonly", (transaction) =>
      result<StoredReply | undefined>(transaction.objectStore("replies").get(id)),
    );
  }

  /** It drops the state before; one that holds another memory is therefore kept for longer. */
  needsCompaction(file: BlockFile): boolean {
    const share = this.manifest.previous?.replaced ? LOG_SHARE_REPLACED : LOG_SHARE;
    return this.logBytes > Math.max(file.size * share, LEAST_LOG);
  }

  /**
   * The memory as it was when the present generation was made. Null where nothing older is kept, where that is damaged,
   * and while it holds what has just been forgotten. The caller sees to it that nothing is rewritten meanwhile.
   */
  async before(): Promise<Before | null> {
    const { current, previous, purge } = this.manifest;
    if (!previous || purge) return null;
    const found = await assemble(this.connection, { ...previous, lastSeq: current.log[1] - 1 });
    if (!found || found.incomplete) return null;
    return { generation: current.generation, at: current.at ?? null, file: found.file };
  }

  get needsFolding(): boolean {
    return this.tail.records >= FOLD_RECORDS;
  }

  /** One record in the place of the last ones, which change the same pages over and over: there is less to restore. */
  async fold(file: BlockFile, settled: Settled): Promise<void> {
    await this.claim();
    await settled(async () => {
      const { first, bytes } = this.tail;
      if (!first) return;
      const { epoch, current } = this.manifest;
      const { lastSeq: seq } = this;
      const pages = Uint32Array.from(this.tail.pages).filter((page) => page * PAGE < file.size).sort();
      const save = { seq, first: first[1], epoch, size: file.size, pages };
      const content = { ...save, body: await deflate(file.pages(pages)) };
      const record = { ...content, generation: current.generation, checksum: await recordChecksum(content) };
      await this.connection.run(["manifest", "log"], "readwrite", async (transaction) => {
        await this.owned(transaction);
        const log = transaction.objectStore("log");
        log.delete(IDBKeyRange.bound(first, [current.generation, seq]));
        log.put(record);
      });
      this.tail = emptyTail(record.size);
      this.logBytes += recordBytes(record) - bytes;
      this.written.compactedBytes += recordBytes(record);
    });
  }

  /**
   * Folds the log into a new generation: chunks it touched are written anew, one per transaction between other saves,
   * the others are shared. A chunk may thus be newer than the first; all that was saved meanwhile stays in the log, and
   * replaying a page that is there already changes nothing.
   */
  async compact(file: BlockFile, settled: Settled): Promise<void> {
    await this.claim();
    const former = this.manifest.current;
    const target = former.generation + 1;
    let touched = new Set<number>();
    let bytesBefore = 0;
    let written = 0;
    try {
      const { seq, size } = await settled(async () => {
        const start = { seq: this.lastSeq, size: file.size };
        [touched, this.touched] = [this.touched, touched];
        bytesBefore = this.logBytes;
        this.tail = emptyTail(file.size);
        await this.dropLeftovers(target);
        return start;
      });
      const count = Math.ceil(size / CHUNK);
      const shared = former.chunkSize === CHUNK;
      const chunks = shared ? former.chunks.slice(0, count) : [];
      const indices = shared ? [...touched].filter((index) => index < count) : Array.from({ length: count }, (_, i) => i);
      for (const index of indices) {
        chunks[index] = target;
        written += await settled(() => this.putChunk(file, target, index));
      }
      const current: Generation = {
        generation: target,
        chunks: Array.from(chunks, (from) => from ?? 0),
        chunkSize: CHUNK,
        size,
        // Records made since the start still carry the former generation.
        log: [former.generation, seq + 1],
        lastSeq: null,
        at: Date.now(),
      };
      await settled(() => this.swap(current, former));
      this.logBytes -= bytesBefore;
    } catch (error) {
      for (const index of touched) this.touched.add(index);
      throw error;
    }
    this.written.compactions += 1;
    this.written.compactedBytes += written;
  }

  /**
   * Makes another file the current generation. The one before is kept, or with `purge` nothing older at all. With
   * `changed` it is another memory, not the same one written anew. The caller sees to it that no save happens meanwhile
   * and that the database is then opened on the new file.
   */
  async replace(file: BlockFile, options: { purge: boolean; changed: boolean }): Promise<void> {
    await this.claim();
    const former = this.manifest.current;
    const target = former.generation + 1;
    const count = Math.ceil(file.size / CHUNK);
    await this.dropLeftovers(target);
    for (let index = 0; index < count; index++) {
      this.written.compactedBytes += await this.putChunk(file, target, index);
    }
    const current: Generation = {
      generation: target,
      chunks: new Array<number>(count).fill(target),
      chunkSize: CHUNK,
      size: file.size,
      log: [target, this.lastSeq + 1],
      lastSeq: null,
      at: Date.now(),
    };
    const previous = { ...former, lastSeq: this.lastSeq, replaced: options.changed };
    await this.swap(current, options.purge ? null : previous, options.changed);
    file.dirty.clear();
    this.logBytes = 0;
    this.touched = new Set();
    this.tail = emptyTail(file.size);
    this.written.compactions += 1;
  }

  /** Notes that SQLite found damage, for the next start. */
  async markSuspect(): Promise<void> {
    await this.connection.run(["manifest"], "readwrite", async (transaction) => {
      const manifest = await this.owned(transaction);
      transaction.objectStore("manifest").put({ ...manifest, suspect: true }, "manifest");
    });
  }

  private async makeRecord(save: Save): Promise<RedoRecord> {
    const { epoch, current } = this.manifest;
    const body = await deflate(save.copies);
    const content = { seq: this.lastSeq + 1, epoch, size: save.size, pages: save.pages, body };
    return { ...content, generation: current.generation, checksum: await recordChecksum(content) };
  }

  private async owned(transaction: IDBTransaction): Promise<Manifest> {
    const manifest = await result<Manifest | undefined>(transaction.objectStore("manifest").get("manifest"));
    if (!manifest) {
      throw new Fault("cleared", "The browser has removed what was stored. Export the memory to keep what this tab holds.");
    }
    if (manifest.epoch !== this.manifest.epoch) throw new LostOwnershipError();
    return manifest;
  }

  /** Chunks of a generation that was begun and never finished. */
  private async dropLeftovers(target: number): Promise<void> {
    await this.connection.run(["manifest", "chunks"], "readwrite", async (transaction) => {
      await this.owned(transaction);
      transaction.objectStore("chunks").delete(IDBKeyRange.lowerBound([target, 0]));
    });
  }

  private async putChunk(file: BlockFile, generation: number, index: number): Promise<number> {
    const chunk: Chunk = { generation, index, seq: this.lastSeq, body: file.chunkCopy(index) };
    const record: ChunkRecord = { ...chunk, body: new Blob([chunk.body]), checksum: await chunkChecksum(chunk) };
    await this.connection.run(["manifest", "chunks"], "readwrite", async (transaction) => {
      await this.owned(transaction);
      const store = transaction.objectStore("chunks");
      try {
        store.put(record);
      } catch (error) {
        // Some browsers store no Blob in a private window.
        if ((error as Error).name !== "DataCloneError") throw error;
        store.put({ ...record, body: chunk.body });
      }
    });
    return chunk.body.length;
  }

  /** Makes `current` the generation in use, `previous` the one kept, and deletes what neither needs. */
  private async swap(current: Generation, previous: Generation | null, changed = false): Promise<void> {
    const stores: StoreName[] = ["manifest", "chunks", "log", "replies", "quarantine", "view"];
    this.manifest = await this.connection.run(stores, "readwrite", async (transaction) => {
      const stored = await this.owned(transaction);
      const purged = previous === null;
      const manifest: Manifest = { ...stored, current, previous, purge: purged ? false : stored.purge };
      transaction.objectStore("manifest").put(manifest, "manifest");
      transaction.objectStore("log").delete(IDBKeyRange.upperBound((previous ?? current).log, true));
      const kept = new Set([...chunkKeys(current), ...(previous ? chunkKeys(previous) : [])]);
      const chunks = transaction.objectStore("chunks");
      for (const key of await result(chunks.getAllKeys())) if (!kept.has(String(key))) chunks.delete(key);
      if (purged) transaction.objectStore("quarantine").clear();
      if (changed) dropView(transaction);
      const replies = transaction.objectStore("replies");
      if (purged) replies.clear();
      else await dropOldReplies(replies);
      return manifest;
    });
  }
}

function chunkKeys(generation: Generation): string[] {
  return generation.chunks.map((from, index) => String([from, index]));
}

/** By then every tab has its answer. */
async function dropOldReplies(store: IDBObjectStore): Promise<void> {
  const replies = await result<StoredReply[]>(store.getAll());
  for (const { id, at } of replies) if (at < Date.now() - KEEP_REPLIES_MS) store.delete(id);
}

/** Moves every chunk and record that the chosen state does not use into one quarantine entry. */
async function quarantine(
  transaction: IDBTransaction,
  former: Manifest,
  claimed: Manifest,
  lastSeq: number,
  reason: string,
): Promise<void> {
  const generations = [claimed.current, ...(claimed.previous ? [claimed.previous] : [])];
  const kept = new Set(generations.flatMap(chunkKeys));
  const chunkStore = transaction.objectStore("chunks");
  const logStore = transaction.objectStore("log");
  const chunks = await result<ChunkRecord[]>(chunkStore.getAll());
  const records = await result<RedoRecord[]>(logStore.getAll(IDBKeyRange.lowerBound([0, lastSeq + 1])));
  const unusedChunks = chunks.filter(({ generation, index }) => !kept.has(String([generation, index])));
  const unusedRecords = records.filter(({ seq }) => seq > lastSeq);
  if (!unusedChunks.length && !unusedRecords.length) return;
  const entry = { at: Date.now(), reason, manifest: former, chunks: unusedChunks, log: unusedRecords };
  transaction.objectStore("quarantine").put(entry);
  for (const { generation, index } of unusedChunks) chunkStore.delete([generation, index]);
  for (const { generation, seq } of unusedRecords) logStore.delete([generation, seq]);
}
