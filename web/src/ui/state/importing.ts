/** Bringing in what other products exported: looked at, picked, added, and taken back. Loaded with its dialog. */

import type { ImportProgress } from "../../host/rpc";
import { ownSentence, t } from "../i18n";
import { ti } from "../i18n/import";
import type { ChatPreview, ChatReport } from "../model";
import { importFile } from "./files";
import { noted } from "./interrupted";
import { asProblem, call, memory, toast } from "./memory";
import { openSession, refreshAll } from "./sessions";
import { state } from "./state";
import { Store } from "./store";
import { openPanel } from "./facts";

/** `own`: a memory of this program, which comes in as a whole. */
export type Step = "choose" | "reading" | "preview" | "own" | "adding" | "report" | "undone" | "problem";

export interface Importing {
  step: Step;
  files: readonly File[];
  preview: ChatPreview | null;
  /** Conversations that are ticked, by id; null: all. */
  only: ReadonlySet<string> | null;
  /** Whether saved memories become proposals. */
  memories: boolean;
  progress: ImportProgress | null;
  report: ChatReport | null;
  problem: string | null;
}

const BEGINNING: Importing = {
  step: "choose",
  files: [],
  preview: null,
  only: null,
  memories: true,
  progress: null,
  report: null,
  problem: null,
};
const OWN = ["memory", "memory-lines"];

export const importing = new Store<Importing>(BEGINNING);
let abort = new AbortController();

export function again(): void {
  abort.abort();
  importing.set(BEGINNING);
}

/** What is being added goes on without the dialog; anything else ends with it. */
export function leave(): void {
  if (importing.get().step !== "adding") again();
}

/** Looks into the files. */
export async function look(files: readonly File[]): Promise<void> {
  if (files.length === 0 || importing.get().step === "adding") return;
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  importing.set({ ...BEGINNING, step: "reading", files });
  try {
    const options = { signal, onProgress: (progress: ImportProgress) => importing.set({ progress }) };
    const preview = (await (await memory()).previewFiles(files, options)) as ChatPreview;
    if (signal.aborted) return;
    const own = Object.keys(preview.formats).some((format) => OWN.includes(format));
    // A text by the name of a memory is one that has come to harm.
    if (preview.format === "list" && files.every(({ name }) => /\.(db|sqlite3?)$/i.test(name))) {
      importing.set({ step: "problem", problem: t.problems["NotADatabaseError"] as string });
    } else if (own && files.length > 1) importing.set({ step: "problem", problem: ti.ownAlone });
    else if (!own && !preview.conversations && !preview.memories) {
      importing.set({ step: "problem", preview, problem: ti.problems["import_nothing"] as string });
    } else importing.set({ step: own ? "own" : "preview", preview, progress: null });
  } catch (error) {
    if (!signal.aborted) importing.set({ step: "problem", problem: told(error) });
  }
}

export async function addOwn(): Promise<void> {
  const [file] = importing.get().files;
  if (file) await importFile(file);
}

export async function begin(): Promise<void> {
  const { files, preview, only, memories } = importing.get();
  if (!preview || state.get().busy) return;
  abort = new AbortController();
  state.set({ busy: "chats" });
  importing.set({ step: "adding", progress: null });
  try {
    const open = await memory();
    const options = {
      signal: abort.signal,
      onProgress: (progress: ImportProgress) => importing.set({ progress }),
      memories,
      product: preview.format,
      ...(only && { only: [...only] }),
    };
    const report = (await noted(() => open.importFiles(files, options))) as ChatReport;
    importing.set({ step: "report", report, progress: null });
    if (!isShown()) toast({ text: ti.toast(summary(report)), actions: [{ label: ti.details, run: show }] });
  } catch (error) {
    importing.set({ step: "problem", problem: told(error), progress: null });
    if (!isShown()) toast({ text: `${ti.problem}: ${told(error)}`, tone: "problem" });
  } finally {
    state.set({ busy: null });
  }
}

export const cancel = (): void => (importing.get().step === "adding" ? abort.abort() : again());

export async function takeBack(): Promise<void> {
  const { report } = importing.get();
  if (!report?.operation_id) return;
  await call("undo", { operation_id: report.operation_id });
  const { current } = state.get();
  if (current !== null && report.sessions.includes(current)) state.set({ current: null, messages: [] });
  await refreshAll();
  importing.set({ step: "undone" });
}

/** The one of them that is highest in the list. */
export async function openNewest(): Promise<void> {
  const made = importing.get().report?.sessions ?? [];
  state.set({ dialog: null });
  await refreshAll();
  const id = state.get().sessions.find((session) => made.includes(session.id))?.id ?? made[0];
  if (id) await openSession(id);
}

export function showSuggestions(): void {
  state.set({ dialog: null });
  openPanel(true);
}

/** “3 conversations with 24 messages are here now.” */
export function summary({ conversations, messages, suggestions, cancelled }: ChatReport): string {
  const { added = 0, updated = 0 } = conversations;
  const fresh = messages["added"] ?? 0;
  const lines = [
    added ? ti.addedChats(added, fresh) : updated ? ti.addedMessages(fresh) : "",
    suggestions["added"] ? ti.addedMemories(suggestions["added"]) : "",
  ].filter(Boolean);
  return lines.join(" ") || (cancelled ? ti.nothingAdded : ti.nothingNew);
}

export function fileNames({ files }: Importing): string {
  return files[0] ? ti.files(files[0].name, files.length - 1) : "";
}

const isShown = (): boolean => state.get().dialog?.kind === "import";
const show = (): void => state.set({ dialog: { kind: "import" } });

function told(error: unknown): string {
  const problem = asProblem(error);
  return ti.problems[problem.code ?? ""] ?? ti.problems[problem.name] ?? ownSentence(problem) ?? problem.message;
}
