/** Reads the file back from IndexedDB, verifies every checksum, and finds the newest state that is whole. */

import { BlockFile, PAGE, PAGES_PER_CHUNK } from "./blockfile";
import { inflate } from "./deflate";
import { FIRST_GENERATION, chunkChecksum, recordChecksum } from "./format";
import type { ChunkRecord, Generation, Manifest, RedoRecord } from "./format";
import { type Connection, result } from "./idb";

/** A state of the file that can be opened. */
export interface Candidate {
  generation: Generation;
  file: BlockFile;
  lastSeq: number;
  logBytes: number;
  /** Chunks that differ from the stored ones. */
  touched: Set<number>;
  /** Something stored after this state is damaged or missing. */
  incomplete: boolean;
}

export interface Loaded {
  manifest: Manifest | null;
  /** Best first. More than one only where something is wrong. */
  candidates: Candidate[];
  damaged: boolean;
}

const INFLATE_AT_ONCE = 16;

/** Only reads. Restored chunks become part of the file as they are. With `suspect` every state is a candidate. */
export async function load(connection: Connection, suspect = false): Promise<Loaded> {
  const manifest = await connection.run(["manifest"], "readonly", (transaction) =>
    result<Manifest | undefined>(transaction.objectStore("manifest").get("manifest")),
  );
  if (!manifest) return { manifest: null, candidates: [emptyCandidate(FIRST_GENERATION)], damaged: false };
  const current = await assemble(connection, manifest.current);
  const doubtful = suspect || manifest.suspect;
  if (current && !current.incomplete && !doubtful) return { manifest, candidates: [current], damaged: false };
  const previous = manifest.previous && (await assemble(connection, manifest.previous));
  const candidates = [current, previous].filter((candidate) => candidate !== null);
  candidates.sort((a, b) => b.lastSeq - a.lastSeq);
  return { manifest, candidates, damaged: true };
}

export function emptyCandidate(generation: Generation): Candidate {
  const lastSeq = generation.log[1] - 1;
  return { generation, file: new BlockFile(), lastSeq, logBytes: 0, touched: new Set(), incomplete: false };
}

/** The best bytes there are of a generation that is not whole; null if there are none. */
export async function salvage(connection: Connection, generation: Generation): Promise<BlockFile | null> {
  const { chunks, log } = await read(connection, generation);
  const file = new BlockFile();
  file.size = generation.size;
  for (const [index, chunk] of chunks.entries()) file.chunks[index] = chunk?.body ?? new Uint8Array(0);
  for (const record of log) {
    const body = (await isWhole(record)) && (await inflate(record.body));
    // A chunk may be newer than records before a gap.
    if (body) write(file, record, body, (page) => record.seq > (chunks[Math.floor(page / PAGES_PER_CHUNK)]?.seq ?? 0));
  }
  return file.size > 0 ? file : null;
}

interface Stored {
  chunks: Array<ChunkRecord | null | undefined>;
  log: RedoRecord[];
}

function read(connection: Connection, generation: Generation): Promise<Stored> {
  return connection.run(["chunks", "log"], "readonly", async (transaction) => {
    const chunks = transaction.objectStore("chunks");
    const range = IDBKeyRange.lowerBound(generation.log);
    const log = result<RedoRecord[]>(transaction.objectStore("log").getAll(range));
    const bases = generation.chunks.map((from, index) =>
      from ? result<ChunkRecord | undefined>(chunks.get([from, index])) : null,
    );
    return { chunks: await Promise.all(bases), log: await log };
  });
}

/** Reads one generation up to its last whole record; null if no state of it is whole. */
async function assemble(connection: Connection, generation: Generation): Promise<Candidate | null> {
  const stored = await read(connection, generation);
  const candidate = emptyCandidate(generation);
  const { file } = candidate;
  file.size = generation.size;
  let newest = 0;
  for (const [index, chunk] of stored.chunks.entries()) {
    if (chunk === null) {
      file.chunks[index] = new Uint8Array(0);
    } else if (chunk && (await chunkChecksum(chunk)) === chunk.checksum) {
      file.chunks[index] = chunk.body;
      newest = Math.max(newest, chunk.seq);
    } else {
      return null;
    }
  }
  const end = generation.lastSeq ?? Infinity;
  const wanted = stored.log.filter((record) => record.seq <= end);
  await replay(candidate, wanted);
  candidate.incomplete =
    wanted.length > candidate.lastSeq - generation.log[1] + 1 ||
    (generation.lastSeq !== null && candidate.lastSeq < generation.lastSeq);
  // A chunk rewritten after the last whole record holds pages of a state that cannot be reached, and an empty file in
  // the place of a memory is for the user to decide.
  const unusable = newest > candidate.lastSeq || (candidate.incomplete && file.size === 0);
  return unusable ? null : candidate;
}

/** Applies records in order and stops at the first that is missing or damaged. */
async function replay(candidate: Candidate, records: RedoRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += INFLATE_AT_ONCE) {
    const slice = records.slice(start, start + INFLATE_AT_ONCE);
    const bodies = await Promise.all(
      slice.map(async (record) => ((await isWhole(record)) ? await inflate(record.body) : null)),
    );
    for (const [i, record] of slice.entries()) {
      const body = bodies[i];
      if (!body || record.seq !== candidate.lastSeq + 1) return;
      apply(candidate, record, body);
    }
  }
}

async function isWhole(record: RedoRecord): Promise<boolean> {
  return (await recordChecksum(record)) === record.checksum;
}

function apply(candidate: Candidate, record: RedoRecord, body: Uint8Array): void {
  write(candidate.file, record, body);
  for (const page of record.pages) candidate.touched.add(Math.floor(page / PAGES_PER_CHUNK));
  candidate.lastSeq = record.seq;
  candidate.logBytes += recordBytes(record);
}

function write(file: BlockFile, record: RedoRecord, body: Uint8Array, wanted = (_page: number): boolean => true): void {
  if (record.size < file.size) file.resize(record.size);
  file.size = record.size;
  record.pages.forEach((page, i) => {
    if (wanted(page)) file.putPage(page, body.subarray(i * PAGE, (i + 1) * PAGE));
  });
}

/** Bytes a record takes, without IndexedDB's own overhead. */
export function recordBytes(record: Pick<RedoRecord, "pages" | "body">): number {
  return record.body.byteLength + record.pages.byteLength;
}
