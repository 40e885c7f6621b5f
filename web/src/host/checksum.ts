import xxhash from "xxhash-wasm";

const ready = xxhash();

/** 64-bit checksum over some numbers and byte arrays, in that order, as 16 hexadecimal digits. */
export async function checksum(numbers: readonly number[], ...parts: Uint8Array[]): Promise<string> {
  const hash = (await ready).create64();
  hash.update(new Uint8Array(Float64Array.from(numbers).buffer));
  for (const part of parts) hash.update(part);
  return hash.digest().toString(16).padStart(16, "0");
}
