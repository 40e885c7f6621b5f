/** The whole screen: sessions, conversation, memory. */

import { useState } from "preact/hooks";
import { Composer } from "./Composer";
import { Conversation } from "./Conversation";
import { Header } from "./Header";
import { ImportDialog } from "./ImportDialog";
import { MemoryPanel } from "./MemoryPanel";
import { Notices } from "./Notices";
import { Sidebar } from "./Sidebar";
import { StorageDialog } from "./StorageDialog";
import { t } from "./i18n/index";
import { type App, download, useView } from "./memory";

export type Panel = "memory" | "storage" | "import" | null;

export function Page({ app }: { app: App }) {
  const view = useView(app);
  const [drawer, setDrawer] = useState(false);
  const [panel, setPanel] = useState<Panel>(null);
  const [target, setTarget] = useState<string | null>(null);

  const exportMemory = async (): Promise<void> => {
    const name = `memory-${new Date().toISOString().slice(0, 10)}.db`;
    try {
      download(new Blob([await app.memory.exportFile()], { type: "application/vnd.sqlite3" }), name);
      await app.call("set_setting", { name: "last_export", value: Date.now() });
      app.toast({ text: t("exportDone", { name }) });
    } catch (error) {
      app.set({ fault: { text: (error as Error).message, choices: [] } });
    }
  };
  const jump = (sessionId: string, messageId: string): void => {
    setPanel(null);
    setTarget(messageId);
    if (sessionId !== view.sessionId) app.openSession(sessionId);
  };

  return (
    <div class="page">
      <Sidebar app={app} view={view} open={drawer} close={() => setDrawer(false)} />
      <main class="main" inert={drawer}>
        <Header
          view={view}
          panel={panel}
          openDrawer={() => setDrawer(true)}
          openPanel={(next) => setPanel(panel === next ? null : next)}
          exportMemory={() => void exportMemory()}
        />
        <Notices app={app} view={view} />
        <Conversation app={app} view={view} target={target} reached={() => setTarget(null)} />
        <Composer app={app} view={view} />
      </main>
      {panel === "memory" && <MemoryPanel app={app} view={view} close={() => setPanel(null)} jump={jump} />}
      {panel === "storage" && <StorageDialog app={app} view={view} close={() => setPanel(null)} />}
      {panel === "import" && <ImportDialog app={app} close={() => setPanel(null)} />}
      <div class="toasts" role="region" aria-live="polite" aria-label={t("memoryStatus")}>
        {view.toast && (
          <div class="toast">
            <span dir="auto">{view.toast.text}</span>
            {view.toast.undo && (
              <button type="button" class="text-button" onClick={view.toast.undo}>
                {t("undo")}
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
