/** What the user must know about the memory's state, and what to do about it. */

import { type TextKey, t } from "./i18n/index";
import { type App, type View, download } from "./memory";

const WARNINGS: Record<string, TextKey> = {
  no_storage: "warnNoStorage",
  no_locks: "warnNoLocks",
  no_policy: "warnNoPolicy",
  restored: "warnRestored",
  evicted: "warnEvicted",
};

export function Notices({ app, view }: { app: App; view: View }) {
  const warning = WARNINGS[view.status.warning ?? ""];
  const { fault } = view;
  const rawFile = async (): Promise<void> => {
    const file = await app.memory.recover("raw");
    if (file) download(file, "memory-raw.db");
  };
  return (
    <div class="notices">
      {warning && (
        <p class="notice" role="note">
          {t(warning)}
        </p>
      )}
      {fault && (
        <div class="notice notice-bad" role="alert">
          <p>{fault.text}</p>
          {fault.choices.length > 0 && (
            <p class="notice-actions">
              {fault.choices.includes("raw") && (
                <button type="button" class="button small" onClick={() => void rawFile()}>
                  {t("recoverRaw")}
                </button>
              )}
              {fault.choices.includes("empty") && (
                <button
                  type="button"
                  class="text-button"
                  onClick={() => void app.memory.recover("empty").then(() => app.set({ fault: null }))}
                >
                  {t("recoverEmpty")}
                </button>
              )}
            </p>
          )}
        </div>
      )}
      {view.update && (
        <p class="notice" role="status">
          {t("updateReady")}{" "}
          <button type="button" class="text-button" onClick={view.update}>
            {t("reload")}
          </button>
        </p>
      )}
    </div>
  );
}
