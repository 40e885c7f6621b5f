/** Who answers: the offline assistant, a model server, a file on this device, or the browser's own model. */

import type { PyMemory } from "../../client/types";
import { database } from "../../profiles/current";
import { fullAddress, hostOf } from "../../models/address";
import { addressSpace } from "../../host/net";
import * as file from "../../models/file";
import type { PageModel } from "../../models/page-model";
import { PageModelError } from "../../models/page-model";
import { browserModel, fetchBrowserModel } from "../../models/prompt-api";
import { ModelPage, type Offer } from "../../models/serve";
import {
  allowedOrigins,
  type Choice,
  type ModelSettings,
  originOf,
  readKey,
  readSettings,
  writeKey,
  writeSettings,
} from "../../models/settings";
import { language } from "../i18n";
import { tm } from "../i18n/models";
import { call, memory, toast } from "./memory";
import { models, others } from "./model-choice";
import { renewPolicy, whyNotRestart } from "./policy";
import { state } from "./state";

declare const __BUILD__: { readonly device: string };

let page: ModelPage | null = null;
let running: AbortController | null = null;
let picked: File | null = null;

/** Begins or ends what this page runs, as the settings say. */
export function follow(memory: PyMemory, { choice }: ModelSettings): void {
  if (choice.kind === "device" || choice.kind === "browser") serve(memory, choice.kind);
  else page?.stop();
}

// -- choices --

export function chooseOffline(): Promise<void> {
  return attempt("offline", async () => {
    const former = models.get().settings.choice;
    models.set({ progress: { kind: former.kind, step: "connecting" } });
    await change({ choice: { kind: "offline" } });
    if (former.kind === "server") toast({ text: tm.server.disconnected });
  });
}

/** An empty key leaves the one that is kept. */
export function connect(typed: string, key: string): Promise<void> {
  return attempt("server", async () => {
    const address = addressIn(typed);
    if (!isSecureContext) throw new Shown(tm.problems.insecure);
    models.set({ progress: { kind: "server", step: "connecting" } });
    if (key) await writeKey(database, address, key);
    const former = models.get().settings.server;
    await change({ server: { address, model: former?.model ?? "" }, trying: originOf(address) });
    const found = await call<Array<{ id: string }>>("probe_model", { address, language });
    const list = found.map(({ id }) => id);
    const model = (former && list.includes(former.model) ? former.model : list[0]) ?? "";
    await change({ choice: { kind: "server", address, model }, server: { address, model } }, ["trying"]);
    models.set({ list });
    await lookForKey();
    return tm.server.connected(model, hostOf(address));
  });
}

export function chooseModel(model: string): Promise<void> {
  return attempt("server", async () => {
    const { choice } = models.get().settings;
    if (choice.kind !== "server") return;
    await change({ choice: { ...choice, model }, server: { address: choice.address, model } });
  });
}

export async function forgetKey(address: string): Promise<void> {
  await writeKey(database, address, "");
  await lookForKey();
  await call("use_model");
}

/** The models of the server that is connected, for the list in the dialog. */
export async function listModels(): Promise<void> {
  const { choice } = models.get().settings;
  await lookForKey();
  if (choice.kind !== "server" || models.get().list) return;
  const found = await call<Array<{ id: string }>>("probe_model", { address: choice.address, language }).catch(() => []);
  if (found.length) models.set({ list: found.map(({ id }) => id) });
}

/** A file from the user's disk: kept, then loaded. */
export function pickFile(chosen: File): Promise<void> {
  return attempt("device", async (signal) => {
    try {
      await file.check(chosen);
    } catch (error) {
      throw error instanceof file.FileError ? new Shown(tm.device.problems[error.problem]) : error;
    }
    const total = chosen.size;
    const progress = (done: number): void => models.set({ progress: { kind: "device", step: "copying", done, total } });
    progress(0);
    picked = (await file.keep(database, chosen.stream(), progress, signal)) ? null : chosen;
    if (picked) toast({ text: tm.device.notKept });
    await change({ file: { name: chosen.name, size: chosen.size } });
    await startPageModel("device", signal);
    return tm.device.ready(chosen.name);
  });
}

/** A file from an address: its origin may be asked until all of it is here. */
export function fetchFile(typed: string): Promise<void> {
  return attempt("device", async (signal) => {
    const address = fileAddress(typed);
    const progress = (done: number, total?: number): void =>
      models.set({ progress: { kind: "device", step: "downloading", done, ...(total ? { total } : {}) } });
    progress(0);
    await change({ trying: originOf(address) });
    const open = await memory();
    const unwatch = open.on("fetching", ({ done, total }) => progress(done, total ?? undefined));
    const giveUp = (): void => void open.call("cancel_fetch").catch(() => undefined);
    signal.addEventListener("abort", giveUp);
    try {
      signal.throwIfAborted();
      const { size } = await call<{ size: number }>("fetch_model", { address });
      picked = null;
      await change({ file: { name: nameIn(address), size } }, ["trying"]);
    } catch (error) {
      await change({}, ["trying"]);
      throw (error as Error).name === "ModelFileError" ? new Shown(whyNoFile((error as Error).message, address)) : error;
    } finally {
      signal.removeEventListener("abort", giveUp);
      unwatch();
    }
    await startPageModel("device", signal);
    return tm.device.ready(nameIn(address));
  });
}

/** The file that is kept here already. */
export function useFile(): Promise<void> {
  return attempt("device", async (signal) => {
    await startPageModel("device", signal);
    return tm.device.ready(models.get().settings.file?.name ?? tm.device.name);
  });
}

export function dropFile(): Promise<void> {
  return attempt("device", async () => {
    const { choice } = models.get().settings;
    await change(choice.kind === "device" ? { choice: { kind: "offline" } } : {}, ["file"]);
    page?.stop();
    picked = null;
    await file.drop(database);
  });
}

export function useBrowser(): Promise<void> {
  return attempt("browser", async (signal) => {
    const share = (done: number): void => models.set({ progress: { kind: "browser", step: "fetching", done, total: 1 } });
    share(0);
    await fetchBrowserModel(share, signal).catch(() => {
      throw new Shown(tm.browser.failed);
    });
    await startPageModel("browser", signal);
    return tm.browser.ready;
  });
}

/** Gives up what goes on. */
export function cancel(): void {
  running?.abort();
}

/** The dialog is closed: what was only tried is not allowed any longer. */
export async function leave(): Promise<void> {
  models.set({ problem: null });
  if (models.get().settings.trying && !models.get().progress) await change({}, ["trying"]);
}

// -- how --

/** A sentence for the user. */
class Shown extends Error {}

/** `work` resolves with a sentence where a model has been made ready to answer. */
async function attempt(kind: Choice["kind"], work: (signal: AbortSignal) => Promise<string | void>): Promise<void> {
  if (models.get().progress) return;
  running = new AbortController();
  const { signal } = running;
  models.set({ problem: null });
  let ready: string | void = undefined;
  try {
    ready = await work(signal);
  } catch (error) {
    if (!signal.aborted) models.set({ problem: { kind, text: (error as Error).message } });
    if (state.get().dialog?.kind !== "models" && models.get().settings.trying) await change({}, ["trying"]);
  } finally {
    models.set({ progress: null });
    running = null;
  }
  if (ready) answersNow(ready);
}

/** Nothing is left to do in the dialog; what comes next is a message. */
function answersNow(text: string): void {
  if (state.get().dialog?.kind === "models") {
    state.set({ dialog: null });
    requestAnimationFrame(() => document.querySelector<HTMLTextAreaElement>("#message")?.focus());
  }
  const change = (): void => state.set({ dialog: { kind: "models" } });
  toast({ text, actions: [{ label: tm.change, run: change }] });
}

function addressIn(typed: string): string {
  try {
    return fullAddress(typed);
  } catch {
    throw new Shown(tm.problems.address);
  }
}

/** On another device it would travel unprotected, which a secure page may not ask for. */
function fileAddress(typed: string): string {
  const text = typed.trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && addressSpace(url) === "loopback");
  if (!url || !safe || url.username || url.password) throw new Shown(tm.device.noAddress);
  if (!isSecureContext) throw new Shown(tm.problems.insecure);
  return url.href;
}

const nameIn = (address: string): string => decodeURIComponent(new URL(address).pathname.split("/").at(-1) || "model.gguf");

function whyNoFile(problem: string, address: string): string {
  const host = hostOf(address);
  const { problems, fetching } = tm.device;
  const status = /^status (\d+)$/.exec(problem)?.[1];
  if (status) return fetching.status(host, status);
  if (problem in problems) return problems[problem as keyof typeof problems];
  // The origin itself is allowed: it sends on to one that is not.
  if (problem === "policy") return fetching.redirected(host);
  if (problem === "offline") return fetching.offline;
  return problem === "no_files" ? tm.device.notKept : fetching.blocked(host);
}

/** Whether the model may read along in idle time. */
export function readAlong(reads: boolean): Promise<void> {
  return change({ reads });
}

/** Keeps the settings; where they change what may be connected to, the memory starts anew under that policy. */
async function change(changes: Partial<ModelSettings>, without: ReadonlyArray<"trying" | "file"> = []): Promise<void> {
  const next: ModelSettings = { ...(await readSettings(database)), ...changes };
  for (const name of without) delete next[name];
  const before = (await allowedOrigins()).join();
  const { choice, trying } = next;
  const wants = [choice.kind === "server" ? originOf(choice.address) : "", trying ?? ""].filter(Boolean);
  if (wants.some((origin) => !before.split(",").includes(origin))) await mayRestart();
  await writeSettings(database, next);
  if ((await allowedOrigins()).join() === before) await call("use_model");
  else if (!(await renewPolicy())) throw new Shown(tm.problems.worker);
  models.set({ settings: next }); // shown when it holds
  others.postMessage("changed");
  if (choice.kind === "offline" || choice.kind === "server") page?.stop();
}

async function mayRestart(): Promise<void> {
  const problem = await whyNotRestart();
  if (problem) throw new Shown(tm.problems[problem]);
}

async function lookForKey(): Promise<void> {
  const { server } = models.get().settings;
  models.set({ hasKey: server ? (await readKey(database, server.address)) !== null : false });
}

async function startPageModel(kind: "device" | "browser", signal: AbortSignal): Promise<void> {
  models.set({ progress: { kind, step: "loading" } });
  serve(await memory(), kind); // before the others hear of it, so that this page is the first in the queue
  await change({ choice: { kind } });
  const loading = page?.load();
  const given = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  try {
    await Promise.race([loading, given]);
  } catch (error) {
    page?.stop();
    await change({ choice: { kind: "offline" } });
    throw error instanceof PageModelError ? new Shown(tm.device.problems[inWords(error)]) : error;
  }
}

function inWords({ problem, message }: PageModelError): keyof typeof tm.device.problems {
  if (message in tm.device.problems) return message as keyof typeof tm.device.problems;
  return problem === "memory" ? "memory" : "failed";
}

function serve(memory: PyMemory, kind: Offer["kind"]): void {
  page ??= new ModelPage(memory, database, (here) => models.set({ here }));
  const load = kind === "browser" ? () => Promise.resolve(browserModel()) : shownLoading;
  page.serve({ kind, title: document.title, load });
}

async function shownLoading(signal: AbortSignal): Promise<PageModel> {
  models.set({ loading: true });
  try {
    return await loadFile(signal);
  } finally {
    models.set({ loading: false });
  }
}

async function loadFile(signal: AbortSignal): Promise<PageModel> {
  const kept = picked ?? (await file.kept(database));
  if (!kept) throw new PageModelError("no_model", "gone");
  const address = new URL(__BUILD__.device, document.baseURI).href;
  const { loadDevice, canRun } = (await import(address)) as typeof import("../../models/device");
  if (!canRun()) throw new PageModelError("no_model", "browser");
  return loadDevice(kept, signal);
}
