/**
 * HTTP for the model client in Python: a request's body comes in pieces, as it arrives, and any request can be ended.
 * Only what the user has connected is in the worker's policy; everything else the browser refuses before it leaves.
 */

export interface HttpRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** How it went: a status, or why none came. */
export type HttpHead =
  | { status: number; headers: Record<string, string> }
  | { reason: NetReason; origin: string };

/** Why no answer came, for the model client's sentence. */
export type NetReason = "policy" | "permission" | "mixed" | "offline" | "cors" | "cors_local" | "unreachable" | "ended";

interface Open {
  readonly abort: AbortController;
  reader: ReadableStreamDefaultReader<Uint8Array> | null;
}

type AddressSpace = "loopback" | "local";

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
const PRIVATE = /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|\[f[cd][0-9a-f:]*\]|.*\.local)$/;
const PROBE_MS = 3_000;
const NOTICE_MS = 50;

/** Where an address lies, for the browser's question about the local network; null: on the public one. */
export function addressSpace(url: URL): AddressSpace | null {
  if (LOOPBACK.test(url.hostname)) return "loopback";
  return PRIVATE.test(url.hostname) ? "local" : null;
}

export class Requests {
  private readonly open = new Map<string, Open>();
  private refused: string[] = [];

  constructor() {
    self.addEventListener("securitypolicyviolation", (event) =>
      this.refused.push((event as Event & { blockedURI: string }).blockedURI),
    );
  }

  /** Sends a request (JSON text); resolves with an HttpHead as JSON text once status and headers have arrived. */
  async send(id: string, json: string): Promise<string> {
    const { method, url, headers, body } = JSON.parse(json) as HttpRequest;
    const abort = new AbortController();
    this.open.set(id, { abort, reader: null });
    this.refused = [];
    try {
      const target = new URL(url);
      const response = await fetch(
        request(target, {
          method,
          headers,
          body: body ?? null,
          signal: abort.signal,
          cache: "no-store",
          credentials: "omit",
          // A key must not travel on to where a server sends it.
          redirect: "manual",
          referrerPolicy: "no-referrer",
        }),
      );
      if (response.type === "opaqueredirect") return told({ status: 0, headers: {} });
      const open = this.open.get(id);
      if (open) open.reader = response.body?.getReader() ?? null;
      return told({ status: response.status, headers: Object.fromEntries(response.headers) });
    } catch {
      this.open.delete(id);
      const reason = abort.signal.aborted ? "ended" : await this.reason(url);
      return told({ reason, origin: self.location.origin });
    }
  }

  /** The next piece of the body; undefined at its end, and a text, what the browser says, where it broke off. */
  async read(id: string): Promise<Uint8Array | string | undefined> {
    const open = this.open.get(id);
    if (!open?.reader) return undefined;
    try {
      const { value, done } = await open.reader.read();
      if (done) this.open.delete(id);
      return done ? undefined : value;
    } catch (error) {
      this.open.delete(id);
      return open.abort.signal.aborted ? undefined : (error as Error).message;
    }
  }

  /** Ends a request, wherever it is. */
  end(id: string): void {
    this.open.get(id)?.abort.abort();
    this.open.delete(id);
  }

  /** The browser says only that it failed; what can be found out, is. */
  private async reason(address: string): Promise<NetReason> {
    const url = new URL(address);
    const space = addressSpace(url);
    // The notice of a refusal comes a moment after it.
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    if (this.refused.some((uri) => uri.startsWith(url.origin))) return "policy";
    if (self.isSecureContext && self.location.protocol === "https:" && url.protocol === "http:" && space === null) return "mixed";
    if (space !== null && (await isForbidden(space))) return "permission";
    if (space === null && !navigator.onLine) return "offline";
    if (!(await answers(url))) return "unreachable";
    return space === null ? "cors" : "cors_local";
  }
}

const told = (head: HttpHead): string => JSON.stringify(head);

/** A local address is named as one, or browsers that guard the local network refuse it before they look further. */
function request(url: URL, init: RequestInit): Request {
  const space = addressSpace(url);
  if (space !== null && "targetAddressSpace" in Request.prototype) {
    try {
      return new Request(url, { ...init, targetAddressSpace: space } as RequestInit);
    } catch {
      // An older browser that has other words for it.
    }
  }
  return new Request(url, init);
}

/** Whether the user, or an administrator, has refused this page the local network. */
async function isForbidden(space: AddressSpace): Promise<boolean> {
  for (const name of [space === "loopback" ? "loopback-network" : "local-network", "local-network-access"]) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state === "denied";
    } catch {
      // Not known to this browser.
    }
  }
  return false;
}

/** Whether something is there that only does not let this page read its answers. */
async function answers(url: URL): Promise<boolean> {
  const init: RequestInit = { mode: "no-cors", credentials: "omit", signal: AbortSignal.timeout(PROBE_MS) };
  return fetch(request(new URL("/", url), init)).then(
    () => true,
    () => false,
  );
}
