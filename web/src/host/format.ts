/** What lies in IndexedDB: a base of chunks, the redo records after it, and a manifest that says which belong together. */

import type { Bytes } from "./blockfile";
import { checksum } from "./checksum";

/** The pages that changed between two saves. `body` holds them deflated, in the order of `pages`. */
export interface RedoRecord {
  generation: number;
  seq: number;
  epoch: number;
  /** Size of the file in bytes after this record. */
  size: number;
  pages: Uint32Array<ArrayBuffer>;
  body: Bytes;
  checksum: string;
}

/** One MiB of the file as it was after record `seq`. */
export interface ChunkRecord {
  generation: number;
  index: number;
  seq: number;
  body: Bytes;
  checksum: string;
}

/**
 * One state of the whole file: chunks, then the log from a key on. `chunks[i]` is the generation under which chunk i is
 * stored, as generations share the chunks in which they do not differ; 0 means never written.
 */
export interface Generation {
  generation: number;
  chunks: number[];
  size: number;
  /** Key of the first redo record after the chunks. */
  log: [generation: number, seq: number];
  /** The last record that belongs to it; null: all there are. */
  lastSeq: number | null;
  /** When it was made (ms UTC). */
  at?: number;
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

export const FIRST_GENERATION: Generation = { generation: 1, chunks: [], size: 0, log: [1, 1], lastSeq: null };

export function recordChecksum(record: Omit<RedoRecord, "checksum" | "generation">): Promise<string> {
  const pages = new Uint8Array(record.pages.buffer);
  return checksum([record.seq, record.epoch, record.size, record.pages.length], pages, record.body);
}

export function chunkChecksum(chunk: Omit<ChunkRecord, "checksum">): Promise<string> {
  return checksum([chunk.generation, chunk.index, chunk.seq], chunk.body);
}
