/** Bringing a memory file in. */

import { useRef, useState } from "preact/hooks";
import { Dialog } from "./Dialog";
import { t } from "./i18n/index";
import type { App } from "./memory";

interface Report {
  imported: Record<string, number>;
  skipped: Record<string, number>;
  conflicts: number;
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, n) => total + n, 0);

export function ImportDialog({ app, close }: { app: App; close: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [said, setSaid] = useState<{ text: string; bad: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const run = async (mode: "merge" | "replace"): Promise<void> => {
    if (!file) return;
    setBusy(true);
    setSaid({ text: t("importWorking"), bad: false });
    try {
      const report = (await app.memory.importFile(new Uint8Array(await file.arrayBuffer()), { mode })) as Report;
      const added = sum(report.imported);
      const values = { added, skipped: sum(report.skipped), conflicts: report.conflicts };
      setSaid({ text: added ? t("importDone", values) : t("importNothingNew"), bad: false });
      app.openSession(null);
      await app.refresh();
    } catch (error) {
      setSaid({ text: (error as Error).message, bad: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t("importTitle")} close={close}>
      <p>{t("importBody")}</p>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        accept=".db,application/vnd.sqlite3"
        aria-label={t("importChoose")}
        data-testid="import-file"
        tabIndex={-1}
        onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
      />
      <p class="dialog-actions">
        <button type="button" class="button small" onClick={() => input.current?.click()}>
          {t("importChoose")}
        </button>
        <span dir="auto">{file?.name}</span>
      </p>
      {file && (
        <p class="dialog-actions">
          <button type="button" class="button small" disabled={busy} onClick={() => void run("merge")}>
            {t("importMerge")}
          </button>
          <button type="button" class="text-button danger" disabled={busy} onClick={() => void run("replace")}>
            {t("importReplace")}
          </button>
        </p>
      )}
      {said && (
        <p class={said.bad ? "note note-bad" : "note"} role={said.bad ? "alert" : "status"}>
          {said.text}
        </p>
      )}
    </Dialog>
  );
}
