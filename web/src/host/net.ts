/** Why a request of the worker failed. The browser says only that it did; what can be found out, is. */

/** Codes of py_memory/models/failures.py. */
export type NetReason = "policy" | "permission" | "mixed" | "offline" | "blocked" | "blocked_local" | "unreachable";

type AddressSpace = "loopback" | "local";

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
const PRIVATE = /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|\[f[cd][0-9a-f:]*\]|[^.]+|.*\.(local|lan|home|internal|home\.arpa))$/;
const PROBE_MS = 3_000;
const NOTICE_MS = 50;

/** Where an address lies, for the browser's question about the local network; null: on the public one. */
export function addressSpace({ hostname }: URL): AddressSpace | null {
  if (LOOPBACK.test(hostname)) return "loopback";
  return PRIVATE.test(hostname) ? "local" : null;
}

/** Answers for the addresses that this worker's policy has refused, too. */
export function explainer(): (address: string) => Promise<NetReason> {
  const refused = new Set<string>();
  self.addEventListener("securitypolicyviolation", (event) => {
    const { blockedURI } = event as Event & { blockedURI: string };
    if (URL.canParse(blockedURI)) refused.add(new URL(blockedURI).origin);
  });
  return async (address) => {
    const url = new URL(address);
    const space = addressSpace(url);
    // The notice of a refusal comes a moment after it.
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    if (refused.delete(url.origin)) return "policy";
    if (self.location.protocol === "https:" && url.protocol === "http:" && space === null) return "mixed";
    if (space !== null && (await isForbidden(space))) return "permission";
    if (space === null && !navigator.onLine) return "offline";
    // The service worker answers for the page's own address, whether or not its server is there.
    if (url.origin === self.location.origin) return "unreachable";
    if (!(await answers(url, space))) return "unreachable";
    return space === null ? "blocked" : "blocked_local";
  };
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
async function answers(url: URL, space: AddressSpace | null): Promise<boolean> {
  const init = {
    mode: "no-cors",
    credentials: "omit",
    signal: AbortSignal.timeout(PROBE_MS),
    ...(space ? { targetAddressSpace: space } : {}),
  };
  return fetch(new URL("/", url), init as RequestInit).then(
    () => true,
    () => false,
  );
}
