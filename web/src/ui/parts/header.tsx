import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../i18n";
import { MAX_TITLE_CHARACTERS } from "../model";
import { openPanel } from "../state/facts";
import { exportFile } from "../state/files";
import { act } from "../state/memory";
import { profiles, shownName } from "../state/profile";
import { titleOf } from "../state/sessions";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

const CUT_FROM = 40;
const MOST_SHOWN = 48;

export function Header(): JSX.Element {
  const incognito = useStore(state, (value) => value.current !== null && value.current === value.incognito);
  const title = useStore(state, ({ sessions, current, opened }) =>
    titleOf(sessions.find(({ id }) => id === current) ?? (opened?.id === current ? opened : undefined)),
  );
  const heading = useStore(state, ({ messages }) =>
    incognito ? t.incognito.title : asSaid(title, messages[0]?.content),
  );
  const said = useStore(state, ({ messages }) => inFull(title, messages[0]?.content));
  const panel = useStore(state, (value) => value.panel);
  const waiting = useStore(state, (value) => value.waiting.total);
  const ready = useStore(state, (value) => value.ready);
  const busy = useStore(state, (value) => value.busy);
  const drawer = useStore(state, (value) => value.drawer);
  const profile = useStore(profiles, shownName);
  useEffect(() => {
    // The browser keeps titles in its history.
    document.title = [...(incognito ? [] : [title]), ...(profile ? [profile] : []), t.app.name].join(" · ");
  }, [title, incognito, profile]);
  return (
    <header class="header">
      <button
        type="button"
        class="icon-button menu"
        aria-label={t.app.openSessions}
        aria-expanded={drawer}
        onClick={() => state.set({ drawer: true })}
      >
        <Icon name="menu" />
      </button>
      <div class="heading">
        <h1 dir="auto" title={incognito ? heading : said}>
          {heading}
        </h1>
        <MemoryStatus incognito={incognito} />
      </div>
      <div class="header-actions">
        <button
          type="button"
          class="tool"
          data-waiting={waiting || undefined}
          aria-label={t.header.memory}
          title={waiting ? t.header.waitingFacts(waiting) : t.header.memory}
          aria-expanded={panel}
          onClick={() => openPanel(!panel)}
        >
          <Icon name="memory" />
          <span class="tool-name">{t.header.memory}</span>
        </button>
        <button
          type="button"
          class="tool"
          aria-label={t.header.export}
          title={t.header.export}
          disabled={!ready || busy !== null}
          onClick={() => act(exportFile)}
        >
          <Icon name="export" />
          <span class="tool-name">{t.header.export}</span>
        </button>
        <button
          type="button"
          class="tool"
          aria-label={t.header.import}
          title={t.header.import}
          disabled={!ready || (busy !== null && busy !== "chats")}
          onClick={() => state.set({ dialog: { kind: "import" } })}
        >
          <Icon name="import" />
          <span class="tool-name">{t.header.import}</span>
        </button>
        <button
          type="button"
          class="tool"
          aria-label={t.header.storage}
          title={t.header.storage}
          onClick={() => state.set({ dialog: { kind: "storage" } })}
        >
          <Icon name="storage" />
          <span class="tool-name">{t.header.storage}</span>
        </button>
      </div>
    </header>
  );
}

/** A title made from the beginning of the first message stops within a word. Its first sentences, or clauses, are shown
 * instead, as many as there is room for; failing those, whole words. */
function asSaid(title: string, first = ""): string {
  const words = inFull(title, first);
  if (words === title) return title;
  if (words.length <= MOST_SHOWN) return words;
  const start = words.slice(0, MOST_SHOWN);
  const clauses = /^.{12,}(?=[.!?;,:](?:\s|$)|[。！？；，：])/.exec(start)?.[0];
  return clauses ?? `${start.replace(/\s+\S*$/, "")}…`;
}

/** The message that the title is the beginning of; else the title. */
function inFull(title: string, first = ""): string {
  const words = first.slice(0, MAX_TITLE_CHARACTERS).trim().replace(/\s+/g, " ");
  return title.length >= CUT_FROM && words.startsWith(title) ? words : title;
}

function MemoryStatus({ incognito }: { incognito: boolean }): JSX.Element {
  const failed = useStore(state, (value) => value.failure !== null);
  const saved = useStore(state, (value) => value.status?.state ?? "starting");
  const online = useStore(state, (value) => value.online);
  const worksOffline = useStore(state, (value) => value.worksOffline);
  return (
    <div class="status-line">
      <span
        role="status"
        aria-label={t.status.label}
        class="memory-status"
        data-state={incognito ? "incognito" : failed ? "unsaved" : saved}
      >
        {incognito ? t.status.unsaved : t.status[failed ? "failed" : saved]}
      </span>
      {online ? null : <span class="offline">{t.status.offline}</span>}
      {online && worksOffline ? <span class="works-offline">{t.status.worksOffline}</span> : null}
    </div>
  );
}
