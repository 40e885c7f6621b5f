/** The memory from before its first sync, kept deflated beside it until something is forgotten. */

import { readCopy, writeCopy } from "../sync/settings";

const PIECE = 4 * 1024 * 1024;

/** Returns how much lies here now. */
export async function keepCopy(profile: string, file: Blob): Promise<{ bytes: number; pieces: number }> {
  const packed = await new Response(file.stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  const pieces: ArrayBuffer[] = [];
  for (let at = 0; at < packed.byteLength; at += PIECE) pieces.push(packed.slice(at, at + PIECE));
  await writeCopy(profile, pieces);
  return { bytes: packed.byteLength, pieces: pieces.length };
}

/** Null where it is not whole. */
export async function keptCopy(profile: string, pieces: number): Promise<Blob | null> {
  const found = await readCopy(profile);
  if (pieces === 0 || found.length !== pieces) return null;
  const plain = new Blob(found).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(plain).blob();
}

export const dropCopy = (profile: string): Promise<void> => writeCopy(profile, []);
