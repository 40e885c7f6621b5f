import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hostOf } from "../../models/address";
import { ago, daysAgo, labelled, t } from "../i18n";
import { tb } from "../i18n/basis";
import { MAX_TITLE_CHARACTERS, type Session } from "../model";
import { closeIncognito, openIncognito } from "../state/incognito";
import { act } from "../state/memory";
import { models } from "../state/model-choice";
import { profiles, shownName } from "../state/profile";
import {
  deleteSession,
  newChat,
  openSession,
  rename,
  search,
  showMoreSessions,
  showNewerSessions,
  titleOf,
} from "../state/sessions";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { sync } from "../state/sync";
import { Editor } from "./editor";
import { keepFocus } from "./focus";
import { IconButton } from "./icon-button";
import { Icon, Mark } from "./icons";
import { memo } from "./memo";
import { modifier } from "./modifier";

const SEARCH_MS = 150;
/** Older chats are read when the end of the list is this many windows away. */
const REACH = 2;

export function Sidebar({ narrow }: { narrow: boolean }): JSX.Element {
  const open = useStore(state, (value) => value.drawer);
  const lastExport = useStore(state, (value) => value.backup?.at);
  const loaded = useStore(state, (value) => value.loaded);
  const incognito = useStore(state, (value) => value.incognito);
  const server = useStore(models, ({ settings: { choice } }) => (choice.kind === "server" ? choice.address : null));
  const synced = useStore(sync, ({ state: now }) => (now?.on && now.address ? hostOf(now.address) : null));
  const unsynced = useStore(sync, ({ state: now }) => Boolean(now?.on && now.problem && now.nextAt === null && !now.running));
  const sidebar = useRef<HTMLElement>(null);
  const close = (): void => state.set({ drawer: false });
  const trapped = narrow && open;
  useEffect(() => {
    if (!trapped) return;
    const giveBack = keepFocus();
    sidebar.current?.querySelector<HTMLElement>("button")?.focus();
    return giveBack;
  }, [trapped]);
  return (
    <>
      <nav
        class={open ? "sidebar open" : "sidebar"}
        aria-label={t.sessions.label}
        ref={sidebar}
        onKeyDown={(event) => {
          if (event.key === "Escape" && narrow) close();
        }}
      >
        <div class="brand">
          <Mark />
          <span class="wordmark">{t.app.name}</span>
          {narrow ? (
            <button type="button" class="icon-button" aria-label={t.app.closeSessions} onClick={close}>
              <Icon name="close" />
            </button>
          ) : null}
        </div>
        <div class="sidebar-body">
          <div class="begin">
            <button type="button" class="new-chat" onClick={newChat}>
              <Icon name="plus" />
              {t.sessions.newChat}
            </button>
            {incognito === null ? (
              <button
                type="button"
                class="icon-button new-incognito"
                aria-label={t.incognito.open}
                title={t.incognito.open}
                onClick={openIncognito}
              >
                <Icon name="incognito" />
              </button>
            ) : null}
          </div>
          <Incognito id={incognito} />
          <Search />
          <Everywhere />
          <Sessions />
        </div>
        <footer class="sidebar-foot">
          <button type="button" class="quiet commands" onClick={() => state.set({ drawer: false, dialog: { kind: "palette" } })}>
            <Icon name="search" />
            {t.sessions.commands}
            <kbd>{modifier} K</kbd>
          </button>
          <button
            type="button"
            class="quiet commands"
            data-attention={unsynced || undefined}
            onClick={() => state.set({ drawer: false, dialog: { kind: "sync" } })}
          >
            <Icon name="sync" />
            {synced === null ? t.sessions.sync : unsynced ? t.sessions.unsynced : t.sessions.syncedWith(synced)}
          </button>
          <button type="button" class="quiet commands" onClick={() => state.set({ drawer: false, dialog: { kind: "settings" } })}>
            <Icon name="settings" />
            {t.sessions.settings}
            <kbd>{modifier} ,</kbd>
          </button>
          <ProfileButton />
          {synced !== null && server === null ? null : (
            <p>{server === null ? t.sessions.privacy : t.models.privacy(hostOf(server))}</p>
          )}
          <p>{loaded ? labelled(t.storage.backup, lastExport ? ago(lastExport) : t.storage.never) : "\u00a0"}</p>
        </footer>
      </nav>
      {trapped ? <div class="veil" onClick={close} /> : null}
    </>
  );
}

/** Which memory this tab shows, where there is more than one. */
function ProfileButton(): JSX.Element | null {
  const name = useStore(profiles, shownName);
  if (name === null) return null;
  return (
    <button
      type="button"
      class="quiet commands profile-button"
      onClick={() => state.set({ drawer: false, dialog: { kind: "profiles" } })}
    >
      <Icon name="person" />
      <span dir="auto">{t.sessions.profile(name)}</span>
    </button>
  );
}

/** The way back to an incognito chat; it is in no list. */
function Incognito({ id }: { id: string | null }): JSX.Element | null {
  const current = useStore(state, (value) => value.current);
  if (id === null) return null;
  return (
    <div class={id === current ? "session incognito open" : "session incognito"}>
      <button
        type="button"
        id="incognito-chat"
        class="session-title"
        aria-current={id === current ? "true" : undefined}
        onClick={openIncognito}
      >
        {t.incognito.title}
      </button>
      <IconButton icon="close" label={t.incognito.close} about="incognito-chat" onClick={() => act(closeIncognito)} />
    </div>
  );
}

function Search(): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        dir="auto"
        aria-label={t.sessions.search}
        placeholder={t.sessions.search}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(value), SEARCH_MS);
        }}
      />
    </div>
  );
}

/** From the titles to everything else that has the words. */
function Everywhere(): JSX.Element | null {
  const query = useStore(state, (value) => value.query.trim());
  if (!query) return null;
  return (
    <button type="button" class="quiet everywhere" onClick={() => state.set({ drawer: false, dialog: { kind: "palette" } })}>
      <Icon name="search" />
      {tb.everywhere(query.length > 24 ? `${query.slice(0, 24)}…` : query)}
    </button>
  );
}

function Sessions(): JSX.Element {
  const sessions = useStore(state, (value) => value.sessions);
  const more = useStore(state, (value) => value.moreSessions);
  const before = useStore(state, (value) => value.sessionsBefore);
  const query = useStore(state, (value) => value.query);
  const current = useStore(state, (value) => value.current);
  const list = useRef<HTMLDivElement>(null);
  const place = useRef<{ row: Element; top: number } | null>(null);
  // What stands where the reader looks stays there, whatever comes and goes above it.
  useLayoutEffect(() => {
    const held = place.current;
    if (!held?.row.isConnected || !list.current) return;
    list.current.scrollTop += held.row.getBoundingClientRect().top - held.top;
    note(list.current);
  }, [before]);
  const note = (element: HTMLElement): void => {
    const edge = element.getBoundingClientRect().top;
    const row = [...element.querySelectorAll("li")].find((one) => one.getBoundingClientRect().bottom > edge);
    place.current = row ? { row, top: row.getBoundingClientRect().top } : null;
  };
  const scrolled = (element: HTMLElement): void => {
    note(element);
    if (element.scrollTop < element.clientHeight) showNewerSessions();
    if (element.scrollHeight - element.scrollTop < REACH * element.clientHeight) showMoreSessions();
  };
  if (sessions.length === 0) return <p class="none">{query ? t.sessions.nothingFound : t.sessions.none}</p>;
  return (
    <div class="sessions" ref={list} onScroll={({ currentTarget }) => scrolled(currentTarget)}>
      {before ? (
        <button type="button" class="quiet" onClick={showNewerSessions}>
          {t.sessions.newer}
        </button>
      ) : null}
      {byAge(sessions).map(([title, group]) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {group.map((session) => (
              <Row key={session.id} session={session} open={session.id === current} />
            ))}
          </ul>
        </section>
      ))}
      {more ? (
        <button type="button" class="quiet" onClick={showMoreSessions}>
          {t.sessions.more}
        </button>
      ) : null}
    </div>
  );
}

const Row = memo(({ session, open }: { session: Session; open: boolean }) => {
  const [editing, setEditing] = useState(false);
  const id = `session-${session.id}`;
  if (editing) {
    return (
      <li>
        <Editor
          value={session.title ?? ""}
          label={t.sessions.titleOf}
          limit={MAX_TITLE_CHARACTERS}
          onCancel={() => setEditing(false)}
          onSave={(title) => {
            setEditing(false);
            act(() => rename(session.id, title));
          }}
        />
      </li>
    );
  }
  return (
    <li class={open ? "session open" : "session"}>
      <button
        type="button"
        id={id}
        class="session-title"
        dir="auto"
        aria-current={open ? "true" : undefined}
        onClick={() => act(() => openSession(session.id))}
      >
        {titleOf(session)}
      </button>
      <IconButton icon="pencil" label={t.sessions.rename} about={id} onClick={() => setEditing(true)} />
      <IconButton icon="bin" label={t.sessions.delete} about={id} onClick={() => act(() => deleteSession(session))} />
    </li>
  );
});

function byAge(sessions: readonly Session[]): Array<[string, Session[]]> {
  const groups = new Map<string, Session[]>();
  for (const session of sessions) {
    const days = daysAgo(session.last_active_at);
    const { today, yesterday, week, older } = t.sessions;
    const title = days <= 0 ? today : days === 1 ? yesterday : days <= 7 ? week : older;
    groups.set(title, [...(groups.get(title) ?? []), session]);
  }
  return [...groups];
}
