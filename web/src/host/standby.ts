/** One of the tabs that wait keeps Python ready, so that taking over need not start it. */

import { type Pyodide, loadPython } from "./boot";
import { standbyLock } from "./names";

// A tab opened for a moment, or a device short of memory (an interpreter takes some 200 MB), is not asked.
const AFTER_MS = 10_000;
const LEAST_MEMORY_GIB = 4;

export class Standby {
  private python: Promise<Pyodide> | null = null;
  private readonly ended = new AbortController();

  constructor(database: string) {
    const { deviceMemory = 0 } = navigator as { deviceMemory?: number };
    if (deviceMemory < LEAST_MEMORY_GIB) return;
    const { signal } = this.ended;
    navigator.locks
      .request(standbyLock(database), { signal }, () => {
        const timer = setTimeout(() => this.boot(), AFTER_MS);
        return new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
          });
        });
      })
      .catch(() => undefined); // aborted while it waited
  }

  /** Its turn has come: the interpreter that is ready, or one started now. Another tab may then be the standby. */
  end(): Promise<Pyodide> {
    this.ended.abort();
    return this.python ?? loadPython();
  }

  private boot(): void {
    this.python = loadPython();
    this.python.catch(() => (this.python = null));
  }
}
