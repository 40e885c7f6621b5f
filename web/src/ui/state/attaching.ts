/**
 * Text files that go with the message being written: their text becomes part of it, between fences with their name. Like
 * what is written they belong to their chat; they are kept in this page alone.
 */

import { size } from "../i18n";
import { tb } from "../i18n/basis";
import { state } from "./state";
import { Store } from "./store";

const MOST_FILES = 5;
const MOST_BYTES = 256 << 10;
/** Files of these kinds are memories of this or another product. */
const MEMORIES = /\.(?:db|sqlite3?|zip|jsonl?)$/i;
const FILE = /^ file: (.+)$/;

export interface Attachment {
  name: string;
  text: string;
  bytes: number;
}

export interface Held {
  files: readonly Attachment[];
  /** Why a file was refused. */
  problem: string | null;
}

const NOTHING: Held = { files: [], problem: null };

/** By session; under "" the one that has no id yet. */
export const attaching = new Store<Record<string, Held | undefined>>({});

/** What waits in a chat. */
export const heldBy = (session: string | null): Held => attaching.get()[session ?? ""] ?? NOTHING;

export const isForMemory = ({ name }: File): boolean => MEMORIES.test(name);

export async function attach(files: readonly File[]): Promise<void> {
  const begun = state.get().current;
  // A chat may get its id while its files are read.
  const session = (): string | null => begun ?? state.get().current;
  dropRefusal(begun);
  for (const file of files) {
    const read = heldBy(session()).files.length < MOST_FILES ? await readText(file) : tb.refusedFile.many(MOST_FILES);
    if (typeof read === "string") return hold(session(), { problem: read });
    hold(session(), { files: [...heldBy(session()).files, read] });
  }
}

export function detach(session: string | null, at: number): void {
  hold(session, { files: heldBy(session).files.filter((_, i) => i !== at), problem: null });
}

export function detachAll(session: string | null): void {
  if (attaching.get()[session ?? ""]) attaching.set({ [session ?? ""]: undefined });
}

export function dropRefusal(session: string | null): void {
  if (heldBy(session).problem) hold(session, { problem: null });
}

/** The chat has only now got its id. */
export function handOver(session: string): void {
  const { files, problem } = heldBy(null);
  detachAll(null);
  if (files.length || problem) hold(session, { files: [...heldBy(session).files, ...files], problem });
}

export function withFiles(session: string | null, text: string): string {
  return [text, ...heldBy(session).files.map(fenced)].filter(Boolean).join("\n\n");
}

function hold(session: string | null, changes: Partial<Held>): void {
  attaching.set({ [session ?? ""]: { ...heldBy(session), ...changes } });
}

/** The name of the file that a fence says it holds; null for any other. */
export const fileIn = (info: string): string | null => FILE.exec(info)?.[1] ?? null;

/** Nothing in the text may end the fence, or what follows would read as the user's own words. */
function fenced({ name, text }: Attachment): string {
  const fence = text.includes("~~~") && !text.includes("```") ? "```" : "~~~";
  const inside = text.replaceAll(fence, [...fence].join("\u200b"));
  return `${fence} file: ${name}\n${inside.replace(/\n?$/, "\n")}${fence}`;
}

/** Or the sentence that says why not. */
async function readText(file: File): Promise<Attachment | string> {
  const name = file.name.replace(/[\s`~]+/g, " ").trim().slice(0, 100) || "file.txt";
  const { refusedFile: why } = tb;
  if (file.size === 0) return why.empty(name);
  if (file.size > MOST_BYTES) return why.large(name, size(MOST_BYTES));
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    return why.unread(name);
  }
  const text = decoded(bytes);
  if (text === null) return why.binary(name);
  if (!text.trim()) return why.empty(name);
  return { name, text: text.replace(/\r\n?/g, "\n"), bytes: bytes.length };
}

/** As UTF-8, UTF-16 with its mark, or GB 18030; null for what is no text. */
function decoded(bytes: Uint8Array): string | null {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encodings = wide ? [bytes[0] === 0xff ? "utf-16le" : "utf-16be"] : ["utf-8", "gb18030"];
  for (const encoding of encodings) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? null : text;
    } catch {
      // Another encoding, or none.
    }
  }
  return null;
}
