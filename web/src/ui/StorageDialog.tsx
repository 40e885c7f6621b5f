/** Where the memory lies, how safe it is there, and when it was last taken out. */

import { useEffect, useState } from "preact/hooks";
import { Dialog } from "./Dialog";
import { type TextKey, bytes, t, time } from "./i18n/index";
import type { App, View } from "./memory";

const OWNERS: Record<View["status"]["owner"], TextKey> = {
  "this-tab": "ownerHere",
  "other-tab": "ownerOther",
  none: "ownerNone",
};

export function StorageDialog({ app, view, close }: { app: App; view: View; close: () => void }) {
  const [exported, setExported] = useState<number | null>(null);
  const [checked, setChecked] = useState<string | null>(null);
  const { status } = view;
  useEffect(() => {
    if (status.state !== "starting") void app.call<number | null>("get_setting", { name: "last_export" }).then(setExported);
  }, [status.state]);

  const check = async (): Promise<void> => {
    const problems = await app.call<string[]>("check_integrity");
    setChecked(problems.length ? problems.join("; ") : t("checkFine"));
  };
  const persistent: TextKey =
    status.persistent === null
      ? "storagePersistentUnknown"
      : status.persistent
        ? "storagePersistentYes"
        : "storagePersistentNo";
  const used =
    status.usage === null || status.quota === null
      ? "–"
      : t("storageUsedOf", { used: bytes(status.usage), quota: bytes(status.quota) });
  const rows: Array<[TextKey, string]> = [
    ["storagePersistent", t(persistent)],
    ["storageUsed", used],
    ["storageLastSaved", status.lastSaved ? time(status.lastSaved) : t("never")],
    ["storageLastExport", exported ? time(exported) : t("never")],
    ["storageInstalled", t(matchMedia("(display-mode: standalone)").matches ? "yes" : "noAnswer")],
    ["storageGeneration", String(status.generation)],
    ["storageOwner", t(OWNERS[status.owner])],
  ];
  return (
    <Dialog title={t("storageTitle")} close={close}>
      <dl class="facts-table">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="dialog-actions">
        <button type="button" class="button small" disabled={status.state === "starting"} onClick={() => void check()}>
          {t("check")}
        </button>
        {status.owner === "other-tab" && (
          <button type="button" class="text-button" onClick={() => app.memory.takeOver()}>
            {t("useHere")}
          </button>
        )}
        <span role="status">{checked}</span>
      </p>
    </Dialog>
  );
}
