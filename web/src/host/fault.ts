import type { RemoteError } from "./rpc";

/** An error with a stable code, for which the page has a sentence in each language. */
export class Fault extends Error {
  constructor(
    readonly code: string,
    message: string,
    name = "MemoryError",
  ) {
    super(message);
    this.name = name;
  }
}

/** VersionError: a newer version of the program has changed the storage. */
const DOM_CODES: Readonly<Record<string, string>> = { QuotaExceededError: "quota", VersionError: "newer" };

/** What crosses to the page: Python exceptions under the name of their class. */
export function toRemote(error: unknown): RemoteError {
  if (error instanceof Fault) return { name: error.name, message: error.message, code: error.code };
  if (error instanceof DOMException) {
    const code = DOM_CODES[error.name] ?? "storage";
    return { name: error.name, message: error.message || "The browser's storage failed.", code };
  }
  if (error instanceof Error) {
    const type = (error as { type?: unknown }).type;
    const { code } = error as { code?: unknown };
    if (typeof type !== "string") {
      return { name: error.name, message: error.message, ...(typeof code === "string" ? { code } : {}) };
    }
    // Pyodide's PythonError: its message is a traceback whose last line holds the text.
    const last = error.message.trimEnd().split("\n").at(-1) ?? "";
    return { name: type, message: last.replace(/^[\w.]+: /, "") };
  }
  return { name: "Error", message: String(error) };
}

/** The value of {"value"}; throws what {"error"} says. */
export function unwrap(text: string): unknown {
  const { value, error } = JSON.parse(text) as { value?: unknown; error?: RemoteError };
  if (error) throw Object.assign(new Error(error.message), error);
  return value;
}
