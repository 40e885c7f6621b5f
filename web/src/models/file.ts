/** The model file that the user picked or had fetched, kept in this browser (the origin's private file system) for offline use. */

const FOLDER = "py-memory-models";
/** With these letters such a file begins. */
export const GGUF = "GGUF";
const GIB = 1024 ** 3;
/** WebAssembly's address space, less what the model needs beside its weights. */
const LARGEST = 3.5 * GIB;

/** `not_gguf`: another kind of file. `too_large`: no browser can load it. `memory`, `space`: this device cannot. */
export type FileProblem = "not_gguf" | "too_large" | "memory" | "space";

export class FileError extends Error {
  constructor(readonly problem: FileProblem) {
    super(problem);
  }
}

/** Throws a FileError for a file that cannot be used here. */
export async function check(file: File): Promise<void> {
  if ((await file.slice(0, 4).text()) !== GGUF) throw new FileError("not_gguf");
  await checkSize(file.size);
}

export async function checkSize(bytes: number): Promise<void> {
  if (bytes > LARGEST) throw new FileError("too_large");
  const { deviceMemory } = navigator as { deviceMemory?: number };
  // The browser tells the memory in steps and at most 8 GiB, so that more than that is never refused for it.
  if (deviceMemory && deviceMemory < 8 && bytes * 1.5 > (deviceMemory * GIB) / 2) throw new FileError("memory");
  const { quota = Infinity, usage = 0 } = (await navigator.storage?.estimate().catch(() => null)) ?? {};
  if (quota - usage < bytes) throw new FileError("space");
}

/**
 * Keeps a copy in the place of the one before; `progress` is told the bytes written. Where the browser keeps no files,
 * resolves with false.
 */
export async function keep(
  profile: string,
  file: ReadableStream<Uint8Array<ArrayBuffer>>,
  progress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const folder = await open(profile, true);
  if (!folder) return false;
  let bytes = 0;
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (piece, controller) => {
      bytes += piece.byteLength;
      progress(bytes);
      controller.enqueue(piece);
    },
  });
  // What was there before stays until all of the new file is there.
  const target = await (await folder.getFileHandle("model.gguf", { create: true })).createWritable();
  await file.pipeThrough(counting).pipeTo(target as WritableStream<Uint8Array>, { signal });
  return true;
}

export async function kept(profile: string): Promise<File | null> {
  const folder = await open(profile, false);
  const file = await folder
    ?.getFileHandle("model.gguf")
    .then((handle) => handle.getFile())
    .catch(() => null);
  return file?.size ? file : null;
}

export async function drop(profile: string): Promise<void> {
  await (await open(profile, false))?.removeEntry("model.gguf").catch(() => undefined);
}

/** Nothing of the memory's files is left. */
export async function dropAll(profile: string): Promise<void> {
  const storage = (navigator as { storage?: StorageManager }).storage;
  const folder = await storage?.getDirectory?.().then((root) => root.getDirectoryHandle(FOLDER)).catch(() => null);
  await folder?.removeEntry(encodeURIComponent(profile), { recursive: true }).catch(() => undefined);
}

async function open(profile: string, create: boolean): Promise<FileSystemDirectoryHandle | null> {
  const storage = (navigator as { storage?: StorageManager }).storage;
  if (!storage?.getDirectory) return null;
  try {
    const root = await (await storage.getDirectory()).getDirectoryHandle(FOLDER, { create });
    return await root.getDirectoryHandle(encodeURIComponent(profile), { create });
  } catch {
    return null; // a private window, or nothing was kept
  }
}
