/** What lies in IndexedDB: a base of chunks, the redo records after it, and a manifest that says which belong together. */

import { type Bytes, CHUNK } from "./blockfile";
import { checksum } from "./checksum";

/** The pages that changed between two saves. `body` holds them deflated, in the order of `pages`. */
export interface RedoRecord {
  generation: number;
  seq: number;
  /** It stands for all saves from this one on; not there: for `seq` alone. */
  first?: number;
  epoch: number;
  /** Size of the file in bytes after this record. */
  size: number;
  pages: Uint32Array<ArrayBuffer>;
  body: Bytes;
  checksum: string;
}

/** One piece of the file as it was after record `seq`. */
export interface Chunk {
  generation: number;
  index: number;
  seq: number;
  body: Bytes;
}

/**
 * A chunk as it is stored. A browser hands out a Blob without cloning it, which takes a third of the time; the bytes
 * themselves are in older memories, and where a browser stores no Blob.
 */
export type ChunkRecord = Omit<Chunk, "body"> & { body: Blob | Bytes; checksum: string };

/**
 * One state of the whole file: chunks, then the log from a key on. `chunks[i]` is the generation under which chunk i is
 * stored, as generations share the chunks in which they do not differ; 0 means never written.
 */
export interface Generation {
  generation: number;
  chunks: number[];
  /** Bytes of each chunk but the last; not there: `FORMER_CHUNK`. */
  chunkSize?: number;
  size: number;
  /** Key of the first redo record after the chunks. */
  log: [generation: number, seq: number];
  /** The last record that belongs to it; null: all there are. */
  lastSeq: number | null;
  /** When it was made (ms UTC). */
  at?: number;
  /** Another memory has been put in its place: what it holds is found nowhere else. */
  replaced?: boolean;
}

export interface Manifest {
  format: 1;
  /** Raised by each owner at take-over and checked by every write, so that a former owner cannot write any more. */
  epoch: number;
  current: Generation;
  previous: Generation | null;
  /** A deletion waits for the rewrite that removes its traces. */
  purge: boolean;
  /** SQLite found damage; the next start checks before it shows anything. */
  suspect: boolean;
}

export const FORMER_CHUNK = 1024 * 1024;

export const FIRST_GENERATION: Generation = {
  generation: 1,
  chunks: [],
  chunkSize: CHUNK,
  size: 0,
  log: [1, 1],
  lastSeq: null,
};

export function recordChecksum(record: Omit<RedoRecord, "checksum" | "generation">): Promise<string> {
  const pages = new Uint8Array(record.pages.buffer);
  const numbers = [record.seq, record.epoch, record.size, record.pages.length];
  if (record.first !== undefined) numbers.push(record.first);
  return checksum(numbers, pages, record.body);
}

export function chunkChecksum(chunk: Chunk): Promise<string> {
  return checksum([chunk.generation, chunk.index, chunk.seq], chunk.body);
}
