/** Reads the file back from IndexedDB, verifies every checksum, and finds the newest state that is whole. */

import { BlockFile, type Bytes, CHUNK, PAGE, PAGES_PER_CHUNK } from "./blockfile";
import { inflate } from "./deflate";
import { FIRST_GENERATION, FORMER_CHUNK, chunkChecksum, recordChecksum } from "./format";
import type { Chunk, ChunkRecord, Generation, Manifest, RedoRecord } from "./format";
import { type Connection, result } from "./idb";

/** A state of the file that can be opened. */
export interface Candidate {
  generation: Generation;
  file: BlockFile;
  lastSeq: number;
  logBytes: number;
  tail: Tail;
  /** Chunks that differ from the stored ones. */
  touched: Set<number>;
  /** Something stored after this state is damaged or missing. */
  incomplete: boolean;
}

/** The last records, for which one can stand. */
export interface Tail {
  first: [generation: number, seq: number] | null;
  records: number;
  bytes: number;
  pages: Set<number>;
  /** Of the file after them. */
  size: number;
}

export const emptyTail = (size: number): Tail => ({ first: null, records: 0, bytes: 0, pages: new Set(), size });

/** The tail with one more record; a new one after a record that stands for several, or cuts the file off. */
export function lengthened(tail: Tail, record: RedoRecord): Tail {
  if (record.first !== undefined || record.size < tail.size) return emptyTail(record.size);
  for (const page of record.pages) tail.pages.add(page);
  return {
    first: tail.first ?? [record.generation, record.seq],
    records: tail.records + 1,
    bytes: tail.bytes + recordBytes(record),
    pages: tail.pages,
    size: record.size,
  };
}

export interface Loaded {
  manifest: Manifest | null;
  /** Best first. More than one only where something is wrong. */
  candidates: Candidate[];
  damaged: boolean;
  /** Key of the last record when reading began. Another one by now: somebody has saved since. */
  last: string;
}

/** Bytes of records, as stored, that are unpacked at once: the first batch while the chunks are still on their way. */
const BATCH = 4 * 1024 * 1024;

/** Only reads. Restored chunks become part of the file as they are. With `suspect` every state is a candidate. */
export async function load(connection: Connection, suspect = false): Promise<Loaded> {
  const { manifest, last } = await connection.run(["manifest", "log"], "readonly", async (transaction) => ({
    manifest: await result<Manifest | undefined>(transaction.objectStore("manifest").get("manifest")),
    last: await lastRecord(transaction),
  }));
  if (!manifest) return { manifest: null, candidates: [emptyCandidate(FIRST_GENERATION)], damaged: false, last };
  const current = await assemble(connection, manifest.current);
  const doubtful = suspect || manifest.suspect;
  if (current && !current.incomplete && !doubtful) return { manifest, candidates: [current], damaged: false, last };
  const previous = manifest.previous && (await assemble(connection, manifest.previous));
  const candidates = [current, previous].filter((candidate) => candidate !== null);
  candidates.sort((a, b) => b.lastSeq - a.lastSeq);
  return { manifest, candidates, damaged: true, last };
}

/** Empty where there is none. */
export async function lastRecord(transaction: IDBTransaction): Promise<string> {
  const cursor = await result<IDBCursor | null>(transaction.objectStore("log").openKeyCursor(null, "prev"));
  return String(cursor?.key ?? "");
}

export function emptyCandidate(generation: Generation): Candidate {
  const lastSeq = generation.log[1] - 1;
  const log = { lastSeq, logBytes: 0, tail: emptyTail(generation.size), touched: new Set<number>() };
  return { generation, file: new BlockFile(), ...log, incomplete: false };
}

/** The best bytes there are of a generation that is not whole; null if there are none. */
export async function salvage(connection: Connection, generation: Generation): Promise<BlockFile | null> {
  const stored = await read(connection, generation);
  const chunks = await Promise.all(stored.chunks);
  const file = new BlockFile();
  file.size = generation.size;
  lay(file, generation, chunks);
  const pagesPerChunk = chunkSize(generation) / PAGE;
  for (const record of stored.log) {
    const body = await unpack(record);
    // A chunk may be newer than records before a gap.
    if (body) write(file, record, body, (page) => record.seq > (chunks[Math.floor(page / pagesPerChunk)]?.seq ?? 0));
  }
  return file.size > 0 ? file : null;
}

type StoredChunk = Chunk & { checksum: string };

interface Stored {
  /** Null: never written; undefined: missing or unreadable. */
  chunks: Array<Promise<StoredChunk | undefined> | null>;
  log: RedoRecord[];
}

/** Resolves with the log, while the chunks are still being read. */
function read(connection: Connection, generation: Generation): Promise<Stored> {
  return connection.run(["chunks", "log"], "readonly", async (transaction) => {
    const log = result<RedoRecord[]>(transaction.objectStore("log").getAll(IDBKeyRange.lowerBound(generation.log)));
    const store = transaction.objectStore("chunks");
    const records = generation.chunks.map((from, index) =>
      from ? result<ChunkRecord | undefined>(store.get([from, index])) : null,
    );
    const chunks = records.map((record) => record && record.then(withBytes));
    for (const chunk of chunks) chunk?.catch(() => undefined);
    await Promise.all(records);
    return { chunks, log: await log };
  });
}

async function withBytes(record: ChunkRecord | undefined): Promise<StoredChunk | undefined> {
  if (!record) return undefined;
  const { body } = record;
  if (!(body instanceof Blob)) return { ...record, body };
  const bytes = await body.arrayBuffer().catch(() => null);
  return bytes ? { ...record, body: new Uint8Array(bytes) } : undefined;
}

function chunkSize(generation: Generation): number {
  return generation.chunkSize ?? FORMER_CHUNK;
}

/** Chunks become part of the file as they are, where they have its size. */
function lay(file: BlockFile, generation: Generation, chunks: ReadonlyArray<StoredChunk | null | undefined>): void {
  const size = chunkSize(generation);
  for (const [index, chunk] of chunks.entries()) {
    if (size === CHUNK) file.chunks[index] = chunk?.body ?? new Uint8Array(0);
    else if (chunk) file.put(index * size, chunk.body);
  }
}

/** Reads one generation up to its last whole record; null if no state of it is whole. */
export async function assemble(connection: Connection, generation: Generation): Promise<Candidate | null> {
  const stored = await read(connection, generation);
  const end = generation.lastSeq ?? Infinity;
  const wanted = stored.log.filter((record) => record.seq <= end);
  const [first, ...others] = inBatches(wanted);
  const unpacking = unpackAll(first);
  const candidate = emptyCandidate(generation);
  const { file } = candidate;
  file.size = generation.size;
  const chunks = await Promise.all(
    stored.chunks.map(async (reading) => {
      const chunk = await reading;
      return chunk && (await chunkChecksum(chunk)) !== chunk.checksum ? undefined : chunk;
    }),
  );
  if (chunks.includes(undefined)) return null;
  lay(file, generation, chunks);
  const newest = Math.max(0, ...chunks.map((chunk) => chunk?.seq ?? 0));
  let whole = replay(candidate, first ?? [], await unpacking);
  for (const batch of others) whole &&= replay(candidate, batch, await unpackAll(batch));
  candidate.incomplete = !whole || (generation.lastSeq !== null && candidate.lastSeq < generation.lastSeq);
  // A chunk rewritten after the last whole record holds pages of a state that cannot be reached, and an empty file in
  // the place of a memory is for the user to decide.
  const unusable = newest > candidate.lastSeq || (candidate.incomplete && file.size === 0);
  return unusable ? null : candidate;
}

/** As many as may lie unpacked at once. */
function inBatches(records: readonly RedoRecord[]): RedoRecord[][] {
  const batches: RedoRecord[][] = [];
  let room = 0;
  for (const record of records) {
    if (room <= 0) {
      batches.push([]);
      room = BATCH;
    }
    batches.at(-1)?.push(record);
    room -= record.body.byteLength;
  }
  return batches;
}

function unpackAll(records: readonly RedoRecord[] = []): Promise<Array<Bytes | null>> {
  return Promise.all(records.map(unpack));
}

/** Applies records in order and stops at the first that is missing or damaged. */
function replay(candidate: Candidate, records: readonly RedoRecord[], bodies: Array<Bytes | null>): boolean {
  for (const [i, record] of records.entries()) {
    const body = bodies[i];
    if (!body || (record.first ?? record.seq) !== candidate.lastSeq + 1) return false;
    apply(candidate, record, body);
  }
  return true;
}

/** The pages of a record; null if it is damaged. */
async function unpack(record: RedoRecord): Promise<Bytes | null> {
  return (await isWhole(record)) ? inflate(record.body) : null;
}

async function isWhole(record: RedoRecord): Promise<boolean> {
  return (await recordChecksum(record)) === record.checksum;
}

function apply(candidate: Candidate, record: RedoRecord, body: Uint8Array): void {
  write(candidate.file, record, body);
  for (const page of record.pages) candidate.touched.add(Math.floor(page / PAGES_PER_CHUNK));
  candidate.tail = lengthened(candidate.tail, record);
  candidate.lastSeq = record.seq;
  candidate.logBytes += recordBytes(record);
}

function write(file: BlockFile, record: RedoRecord, body: Uint8Array, wanted = (_page: number): boolean => true): void {
  if (record.size < file.size) file.resize(record.size);
  file.size = record.size;
  record.pages.forEach((page, i) => {
    if (wanted(page)) file.put(page * PAGE, body.subarray(i * PAGE, (i + 1) * PAGE));
  });
}

/** Bytes a record takes, without IndexedDB's own overhead. */
export function recordBytes(record: Pick<RedoRecord, "pages" | "body">): number {
  return record.body.byteLength + record.pages.byteLength;
}
