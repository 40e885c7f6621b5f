/** Title of the chat, state of the memory, and the ways to it. */

import type { Panel } from "./Page";
import { Icon } from "./icons";
import { type TextKey, t } from "./i18n/index";
import type { View } from "./memory";

const STATES: Record<View["status"]["state"], TextKey> = {
  starting: "statusStarting",
  saving: "statusSaving",
  saved: "statusSaved",
  unsaved: "statusUnsaved",
};
const STEPS: Record<string, TextKey> = {
  lock: "bootLock",
  load: "bootLoad",
  restore: "bootRestore",
  python: "bootPython",
  open: "bootOpen",
};

interface Props {
  view: View;
  panel: Panel;
  openDrawer: () => void;
  openPanel: (panel: Panel) => void;
  exportMemory: () => void;
}

export function Header({ view, panel, openDrawer, openPanel, exportMemory }: Props) {
  const { state } = view.status;
  const session = view.sessions.find(({ id }) => id === view.sessionId);
  const starting = state === "starting";
  return (
    <header class="header">
      <button type="button" class="icon-button only-narrow" aria-label={t("menu")} onClick={openDrawer}>
        <Icon name="menu" />
      </button>
      <div class="header-title">
        <h1 dir="auto">{session?.title ?? t("untitled")}</h1>
        <p class="state">
          <span class={`dot dot-${state}`} aria-hidden="true" />
          <span role="status" aria-label={t("memoryStatus")}>
            {t(STATES[state])}
          </span>
          {starting && <span class="state-more">{t(STEPS[view.boot] ?? "bootSite")}</span>}
          {!view.online && <span class="badge">{t("offline")}</span>}
        </p>
      </div>
      <div class="header-actions">
        <button type="button" class="tool" aria-expanded={panel === "memory"} onClick={() => openPanel("memory")}>
          <Icon name="memory" />
          <span>{t("memory")}</span>
          {view.proposals.length > 0 && (
            <span class="count" aria-hidden="true">
              {view.proposals.length}
            </span>
          )}
        </button>
        <button type="button" class="tool" disabled={starting} onClick={exportMemory}>
          <Icon name="export" />
          <span>{t("exportFile")}</span>
        </button>
        <button type="button" class="tool" disabled={starting} onClick={() => openPanel("import")}>
          <Icon name="import" />
          <span>{t("importFile")}</span>
        </button>
        <button type="button" class="tool" aria-expanded={panel === "storage"} onClick={() => openPanel("storage")}>
          <Icon name="storage" />
          <span>{t("storage")}</span>
        </button>
      </div>
    </header>
  );
}
