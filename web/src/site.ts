/** The page's side of the service worker: who controls the page, and when a new version is ready. */

export interface SiteState {
  /** Whether the service worker answers for this page, so that the policy is in force and the page works offline. */
  readonly controlled: boolean;
  /**
   * Calls back each time a whole new version lies ready. It is used after a reload of every tab; `apply` does that now.
   */
  onUpdateReady(callback: (apply: () => void) => void): void;
}

const FIRST_INSTALL_MS = 120_000;

/**
 * Registers the service worker and waits until it controls the page, so that what is fetched next comes through it.
 * Never rejects: where there is none (plain http, private window, hard reload) `controlled` is false. A page that is
 * controlled already looks for a new version `later`, so that this does not slow its start.
 */
export async function registerServiceWorker(later: () => Promise<unknown>): Promise<SiteState> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined; // absent on plain http
  if (!container) return { controlled: false, onUpdateReady: () => undefined };
  if (container.controller) {
    reloadOnChange(container);
    const look = async (callback: (apply: () => void) => void): Promise<void> => {
      await later().catch(() => undefined);
      watch(await container.register("sw.js", { updateViaCache: "none" }), callback);
    };
    return { controlled: true, onUpdateReady: (callback) => void look(callback).catch(() => undefined) };
  }
  try {
    const registration = await container.register("sw.js", { updateViaCache: "none" });
    reloadOnChange(container);
    const controlled = await controlling(container, registration);
    return { controlled, onUpdateReady: (callback) => watch(registration, callback) };
  } catch {
    return { controlled: container.controller !== null, onUpdateReady: () => undefined };
  }
}

/** A new worker in control means that another tab asked for the new version: two versions never run side by side. */
function reloadOnChange(container: ServiceWorkerContainer): void {
  let former = container.controller;
  container.addEventListener("controllerchange", () => {
    if (former) location.reload();
    former = container.controller;
  });
}

function controlling(container: ServiceWorkerContainer, registration: ServiceWorkerRegistration): Promise<boolean> {
  if (container.controller) return Promise.resolve(true);
  const first = registration.installing ?? registration.waiting ?? registration.active;
  // A page that an active worker does not control was reloaded past it on purpose.
  if (!first || first.state === "activated") return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (): void => resolve(container.controller !== null);
    container.addEventListener("controllerchange", settle, { once: true });
    first.addEventListener("statechange", () => {
      if (first.state === "redundant") settle();
    });
    setTimeout(settle, FIRST_INSTALL_MS);
  });
}

function watch(registration: ServiceWorkerRegistration, callback: (apply: () => void) => void): void {
  const offer = (worker: ServiceWorker): void => callback(() => worker.postMessage("activate"));
  if (registration.waiting) offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => {
      if (worker.state === "installed" && registration.active) offer(worker);
    });
  });
}
