/** What this tab keeps over a reload, and nowhere else. Browsers may refuse even that. */

export function keepInTab(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // No storage, or no room in it: the page goes on without.
  }
}

export function keptInTab<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") as T | null;
  } catch {
    return null;
  }
}
