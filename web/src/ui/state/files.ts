/** The memory as a file: export, import, and the raw file when nothing else works. */

import type { StateBefore } from "../../host/rpc";
import { full, language, ownSentence, sentence, size, t } from "../i18n";
import { type ImportReport, MAX_FILE_BYTES, type Session } from "../model";
import { noteBackup, readBackup } from "./backup";
import { asProblem, call, memory, memoryNow, toast } from "./memory";
import { refreshSessions, titleOf } from "./sessions";
import { state } from "./state";
import { refreshFacts } from "./facts";
import { emptyWindow } from "./window";
import { tellZone } from "./zone";

const FORMS = {
  db: { ending: "db", type: "application/vnd.sqlite3" },
  jsonl: { ending: "jsonl", type: "application/jsonl" },
  markdown: { ending: "md", type: "text/markdown" },
} as const;
export type Form = keyof typeof FORMS;

/** The whole memory as one file, unless another form, or one session, is asked for. */
export async function exportFile(format: Form = "db", session: Session | null = null): Promise<void> {
  const { busy, dialog } = state.get();
  if (busy) return;
  state.set({ busy: "export", dialog: dialog?.kind === "export" ? null : dialog });
  try {
    const options = { format, language, ...(session && { session_id: session.id }) };
    const bytes = await (await memory()).exportFile(options);
    const { ending, type } = FORMS[format];
    const name = fileName(session ? plainName(titleOf(session)) : "py_memory", ending);
    download(new Blob([bytes], { type }), name);
    const others = { label: t.files.otherForms, run: () => state.set({ dialog: { kind: "export" } }) };
    toast({ text: t.files.exported(name, size(bytes.length)), actions: format === "db" && !session ? [others] : [] });
    if (format !== "markdown" && !session) await noteBackup();
  } finally {
    state.set({ busy: null });
  }
}

/** Of a title what file systems take. */
export function plainName(title: string): string {
  return title.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, " ").trim().slice(0, 60).trim() || "py_memory";
}

export function importFile(file: File): Promise<void> {
  return importing(async () => {
    const bytes = await readFile(file);
    if (bytes) await bringIn(bytes, "merge");
  });
}

/** Asks before anything is replaced. */
export async function askToReplace(file: File): Promise<void> {
  const bytes = await readFile(file);
  if (bytes) state.set({ dialog: { kind: "replace", name: file.name, bytes } });
}

export function replaceBy(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  return importing(() => bringIn(bytes, "replace"));
}

/** Says first what would be lost. */
export async function askToGoBack(): Promise<void> {
  const before = await call<StateBefore | null>("stateBefore");
  if (before) state.set({ dialog: { kind: "back", before } });
  else toast({ text: t.problems["no_state_before"] as string });
}

export function goBack({ generation, at }: StateBefore): Promise<void> {
  return importing(async () => {
    await call("goBack", { generation });
    await showAnew("replace");
    toast({ text: t.storage.wentBack(at ? full(at) : "") });
  });
}

/** Shows that it goes on, and in plain words why it did not succeed. */
async function importing(work: () => Promise<void>): Promise<void> {
  if (state.get().busy) return;
  state.set({ busy: "import", dialog: null });
  try {
    await work();
  } catch (error) {
    const problem = asProblem(error);
    const known = ownSentence(problem);
    toast({ text: known ?? t.files.failed, details: known ? [] : [problem.message], tone: "problem" });
  } finally {
    state.set({ busy: null });
  }
}

async function bringIn(bytes: Uint8Array<ArrayBuffer>, mode: "merge" | "replace"): Promise<void> {
  const report = (await (await memory()).importFile(bytes, { mode })) as ImportReport;
  await showAnew(mode);
  state.set({ dialog: { kind: "imported", report } });
}

async function showAnew(mode: "merge" | "replace"): Promise<void> {
  if (mode === "replace") state.set({ current: null, ...emptyWindow() });
  await refreshSessions();
  if (state.get().current === null) state.set({ current: state.get().sessions[0]?.id ?? null });
  await Promise.all([refreshFacts(), readBackup(), tellZone()]);
}

/** What is stored, as it is: works even where the memory cannot be opened. */
export async function downloadRaw(): Promise<void> {
  const file = await memoryNow()?.recover("raw");
  if (file) download(file, fileName("py_memory-raw"));
  else toast({ text: t.failed.rawNone, tone: "problem" });
}

export async function goOnWith(choice: "previous" | "empty"): Promise<void> {
  await memoryNow()?.recover(choice);
}

export async function saveNow(): Promise<void> {
  await memoryNow()
    ?.flush()
    .catch((error: unknown) => toast({ text: sentence(asProblem(error)), tone: "problem" }));
}

async function readFile(file: File): Promise<Uint8Array<ArrayBuffer> | null> {
  if (file.size > MAX_FILE_BYTES) {
    toast({ text: t.files.tooLarge(size(file.size), size(MAX_FILE_BYTES)), tone: "problem" });
    return null;
  }
  return new Uint8Array(await file.arrayBuffer());
}

export function fileName(stem: string, ending = "db"): string {
  const now = new Date();
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${stem}-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.${ending}`;
}

export function download(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
