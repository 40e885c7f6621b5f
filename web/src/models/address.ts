/** The address of a model server as people type it; py_memory/models/address.py reads it the same way. */

import { addressSpace } from "../host/net";
import { originOf } from "./settings";

/** The scheme may be missing. Throws a TypeError for what is no address. */
export function fullAddress(typed: string): string {
  const text = typed.trim();
  const guess = text.includes("://") ? text : `http://${text}`;
  const url = new URL(guess);
  if (!text.includes("://") && addressSpace(url) === null) url.protocol = "https:";
  if (url.username || url.password || url.search || url.hash) throw new TypeError("An address of a server has no such parts.");
  originOf(url.href);
  return url.href.replace(/\/+$/, "");
}

export const hostOf = (address: string): string => new URL(address).host;

/** Whether the browser may ask before it lets this page connect there. */
export function mayAsk(address: string): boolean {
  const here = addressSpace(new URL(location.href));
  const there = addressSpace(new URL(address));
  return there !== null && here !== "loopback" && here !== there;
}

export const PROGRAMS = {
  ollama: { name: "Ollama", address: "http://localhost:11434/v1" },
  lmstudio: { name: "LM Studio", address: "http://localhost:1234/v1" },
  llamacpp: { name: "llama.cpp", address: "http://localhost:8080/v1" },
} as const;
export type Program = keyof typeof PROGRAMS;

/** The program whose usual port this is. */
export function programOf(address: string): Program | null {
  return (Object.keys(PROGRAMS) as Program[]).find((program) => PROGRAMS[program].address.includes(portOf(address))) ?? null;
}

function portOf(address: string): string {
  try {
    const { port } = new URL(fullAddress(address));
    return port ? `:${port}/` : "\0";
  } catch {
    return "\0";
  }
}

/** What starts the server so that it takes requests of pages from `origin`. */
export function startLine(program: Program, origin: string): string {
  if (program === "ollama") {
    const windows = /Windows/.test(navigator.userAgent);
    return windows ? `$env:OLLAMA_ORIGINS="${origin}"; ollama serve` : `OLLAMA_ORIGINS="${origin}" ollama serve`;
  }
  return program === "lmstudio" ? "lms server start --cors" : "llama-server -m model.gguf --port 8080";
}
