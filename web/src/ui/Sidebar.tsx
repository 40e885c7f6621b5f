/** The list of sessions; on a narrow screen a drawer. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { day, t } from "./i18n/index";
import type { App, Session, View } from "./memory";

interface Props {
  app: App;
  view: View;
  open: boolean;
  close: () => void;
}

export function Sidebar({ app, view, open, close }: Props) {
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) return;
    const before = document.activeElement as HTMLElement | null;
    drawer.current?.querySelector<HTMLElement>("button, input")?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") close();
    };
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("keydown", onKey);
      before?.focus();
    };
  }, [open]);

  const search = (query: string): void => {
    app.set({ query });
    void app.refresh();
  };
  const start = (): void => {
    void app.newChat();
    close();
  };
  return (
    <>
      {open && <div class="shade" onClick={close} aria-hidden="true" />}
      <nav class={open ? "sidebar sidebar-open" : "sidebar"} aria-label={t("sessions")} ref={drawer}>
        <div class="brand">
          <span class="mark" aria-hidden="true">
            <Icon name="memory" />
          </span>
          <span>{t("appName")}</span>
          <button type="button" class="icon-button only-narrow" aria-label={t("close")} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <button type="button" class="button wide" disabled={view.status.state === "starting"} onClick={start}>
          <Icon name="plus" />
          {t("newChat")}
        </button>
        <input
          type="search"
          class="field"
          aria-label={t("searchTitles")}
          placeholder={t("searchTitles")}
          value={view.query}
          onInput={(event) => search(event.currentTarget.value)}
        />
        <ul class="session-list">
          {view.sessions.map((session) => (
            <SessionRow key={session.id} app={app} session={session} current={session.id === view.sessionId} close={close} />
          ))}
        </ul>
        {view.query && view.sessions.length === 0 && <p class="quiet">{t("noTitleFound")}</p>}
      </nav>
    </>
  );
}

function SessionRow({ app, session, current, close }: { app: App; session: Session; current: boolean; close: () => void }) {
  const [title, setTitle] = useState<string | null>(null);
  const shown = session.title ?? t("untitled");
  const about = `session-${session.id}`;

  const rename = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (title !== null && title.trim()) await app.call("rename_session", { session_id: session.id, title });
    setTitle(null);
  };
  const remove = async (): Promise<void> => {
    await app.undoable("sessionDeleted", "delete_session", { session_id: session.id });
    if (current) app.openSession(null);
  };

  if (title !== null) {
    return (
      <li>
        <form class="session-edit" onSubmit={(event) => void rename(event)}>
          <input
            class="field"
            aria-label={t("rename")}
            value={title}
            maxLength={200}
            ref={(input) => input?.focus()}
            onInput={(event) => setTitle(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && setTitle(null)}
          />
          <button type="submit" class="icon-button" aria-label={t("save")}>
            <Icon name="check" />
          </button>
        </form>
      </li>
    );
  }
  return (
    <li class={current ? "session session-current" : "session"}>
      <button
        type="button"
        class="session-open"
        aria-current={current ? "true" : undefined}
        onClick={() => {
          app.openSession(session.id);
          close();
        }}
      >
        <span class="session-title" dir="auto" id={about}>
          {shown}
        </span>
        <span class="session-day">{day(session.last_active_at)}</span>
      </button>
      <span class="session-tools">
        <button type="button" class="icon-button" aria-label={t("rename")} title={t("rename")} aria-describedby={about} onClick={() => setTitle(session.title ?? "")}>
          <Icon name="edit" />
        </button>
        <button type="button" class="icon-button" aria-label={t("delete")} title={t("delete")} aria-describedby={about} onClick={() => void remove()}>
          <Icon name="trash" />
        </button>
      </span>
    </li>
  );
}
