/** Entry of the worker: waits to become the owner, opens the memory, serves it; until then passes requests on. */

// With a content security policy in force this throws.
const evalWorks = ((): boolean => {
  try {
    return (0, eval)("true") as boolean;
  } catch {
    return false;
  }
})();

import { loadPython } from "./boot";
import { Fault, toRemote } from "./fault";
import type { Host } from "./host";
import { uuid7 } from "./ids";
import { keepImage } from "./image";
import { serveImport } from "./importer";
import { LostOwnershipError } from "./log";
import { openHost } from "./open";
import { Channel, becomeOwner } from "./owner";
import { ModelPort } from "./port";
import type { FromImport, FromReading, FromWorker, HostEvent, OnChannel, Recovery, StartOptions, StopReason, ToWorker } from "./rpc";
import { Standby } from "./standby";
import { serveReading } from "./reading";

const IMAGE_DELAY_MS = 3000;

let host: Host | null = null;
let channel: Channel | null = null;
/** In a worker that reads other products' files: gives the next part. */
let next: (() => void) | null = null;
let choose: ((choice: Recovery) => void) | null = null;
const token = uuid7();
const port = new ModelPort(
  (message) => {
    post({ type: "port", message });
    channel?.send({ type: "to-pages", message });
  },
  (server) => emit({ event: "model", detail: { server } }),
);

function post(message: FromWorker | FromImport | FromReading): void {
  self.postMessage(message);
}

function emit(event: HostEvent): void {
  post({ type: "event", ...event });
  // How this tab starts is of no concern to the others.
  if (event.event !== "boot") channel?.send({ type: "event", ...event });
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "start") void start(data.options);
  else if (data.type === "import") void serveImport(data.file, post);
  else if (data.type === "read") next = serveReading(data.files, data.job, post);
  else if (data.type === "next") next?.();
  else if (data.type === "recover") choose?.(data.choice);
  else if (data.type === "port") {
    if (host) port.receive(data.message);
    else channel?.send({ type: "to-owner", message: data.message });
  }
  else if (host) void host.handle(data.request).then((reply) => post({ type: "reply", reply }));
  else channel?.send({ type: "request", from: channel.self, request: data.request });
};

function receive(message: OnChannel): void {
  if (message.type === "request") {
    const { from, request } = message;
    void host?.handle(request).then((reply) => channel?.send({ type: "reply", to: from, reply }));
  } else if (message.type === "hello") {
    announce();
  } else if (message.type === "to-owner") {
    if (host) port.receive(message.message);
  } else if (!host) {
    if (message.type === "owner") post({ ...message, here: false });
    else if (message.type === "event") post(message);
    else if (message.type === "to-pages") post({ type: "port", message: message.message });
    else if (message.type === "reply" && message.to === channel?.self) post({ type: "reply", reply: message.reply });
  }
}

function announce(): void {
  if (host) channel?.send({ type: "owner", token, status: host.status() });
}

async function start(options: StartOptions): Promise<void> {
  try {
    if (evalWorks && options.policy) {
      throw new Fault("policy_missing", "The content security policy is not in force in the worker. Reload the page.");
    }
    const warning = evalWorks ? "no_policy" : null;
    emit({ event: "boot", detail: { step: "lock", done: 0, total: 5 } });
    const locks = "locks" in navigator;
    const standby = locks ? new Standby(options.database) : null;
    if (locks) {
      channel = new Channel(options.database, receive);
      channel.send({ type: "hello" });
      const { lost } = await becomeOwner(options.database, options.steal);
      void lost.then(() => stop("taken"));
    }
    const ask = (error: unknown, choices: Recovery[]): Promise<Recovery> => {
      post({ type: "failed", error: toRemote(error), choices });
      return new Promise((resolve) => (choose = resolve));
    };
    const sendRaw = (file: Blob | null): void => post({ type: "raw", file });
    const booting = standby?.end() ?? loadPython();
    host = await openHost(options, { locks, warning, port, emit, ask, sendRaw, stop }, booting);
    post({ type: "owner", here: true, token, status: host.status() });
    announce();
    // Offline, or with no room for it, the next start takes longer; nothing else is lost.
    setTimeout(() => void keepImage().catch(() => undefined), IMAGE_DELAY_MS);
  } catch (error) {
    if (error instanceof LostOwnershipError) stop("behind");
    else post({ type: "failed", error: toRemote(error), choices: [] });
  }
}

function stop(reason: StopReason): void {
  host?.stop();
  host = null;
  post({ type: "stopped", reason });
}
