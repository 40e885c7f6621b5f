/** Everything that can be done, and every conversation, by a few letters. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ago } from "../i18n";
import { tp } from "../i18n/pages";
import type { Session } from "../model";
import { openPanel } from "../state/facts";
import { exportFile } from "../state/files";
import { openIncognito } from "../state/incognito";
import { act, call } from "../state/memory";
import { newChat, openSession, titleOf } from "../state/sessions";
import { type Dialog, state } from "../state/state";
import { tb } from "../i18n/basis";
import { marked } from "./excerpt";
import { useFound } from "./found";
import { Icon } from "./icons";
import { isComposing } from "./ime";
import { Modal } from "./modal";
import { modifier } from "./modifier";

const SEARCH_MS = 120;
const CHATS = 30;
const FEW_CHATS = 6;

interface Entry {
  id: string;
  label: string;
  /** How it is shown, where words in it are marked. */
  shown?: JSX.Element;
  icon: Parameters<typeof Icon>[0]["name"];
  note?: string;
  keys?: string;
  run(): void;
}

const dialog = (kind: "import" | "export" | "about" | "models" | "storage" | "sync" | "shortcuts" | "settings" | "health" | "profiles") => (): void =>
  state.set({ dialog: { kind } as Dialog });
const focus = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.focus();

export function Palette(): JSX.Element {
  const [query, setQuery] = useState(() => state.get().query);
  const [chosen, setChosen] = useState(0);
  const chats = useChats(query);
  const list = useRef<HTMLDivElement>(null);
  const actions = useMemo(actionsNow, []);
  const { palette } = tp;
  const words = query.trim().toLowerCase().split(/\s+/);
  const found = actions.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const { memories, messages } = useFound(query);
  const titles = chats.slice(0, query.trim() ? CHATS : FEW_CHATS).map((session) => entryOf(session, query.trim()));
  const entries: Entry[] = [...found, ...titles, ...memories, ...messages];
  const at = Math.min(chosen, entries.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    state.set({ dialog: null });
    // The focus goes back to where it was first; what is done may put it elsewhere.
    setTimeout(entry.run);
  };
  const move = (by: number): void => setChosen((at + by + entries.length) % Math.max(1, entries.length));
  const option = (entry: Entry): JSX.Element => {
    const here = entries.indexOf(entry) === at;
    return (
      <li
        key={entry.id}
        id={`palette-${entry.id}`}
        role="option"
        aria-selected={here}
        onPointerMove={() => setChosen(entries.indexOf(entry))}
        onClick={() => run(entry)}
      >
        <Icon name={entry.icon} />
        <span class="palette-label" dir="auto">
          {entry.shown ?? entry.label}
        </span>
        {entry.note ? <small>{entry.note}</small> : null}
        {entry.keys ? <kbd>{entry.keys}</kbd> : null}
      </li>
    );
  };
  const group = (name: string, title: string, some: readonly Entry[]): JSX.Element | null =>
    some.length === 0 ? null : (
      <ul role="group" aria-labelledby={`palette-${name}`}>
        <li class="palette-heading" role="presentation" id={`palette-${name}`}>
          {title}
        </li>
        {some.map(option)}
      </ul>
    );
  return (
    <Modal title={palette.title} kind="palette">
      <div class="palette-field">
        <Icon name="search" />
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries[at] ? `palette-${entries[at].id}` : undefined}
          aria-autocomplete="list"
          aria-label={palette.label}
          placeholder={palette.placeholder}
          autocomplete="off"
          dir="auto"
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            if (event.key === "ArrowDown") move(1);
            else if (event.key === "ArrowUp") move(-1);
            else if (event.key === "Enter") run(entries[at]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div id="palette-list" class="palette-list" role="listbox" aria-label={palette.title} ref={list}>
        {found.length ? (
          <ul role="group" aria-label={palette.actions}>
            {entries.slice(0, found.length).map(option)}
          </ul>
        ) : null}
        {group("chats", palette.chats, titles)}
        {group("memories", tb.found.memories, memories)}
        {group("messages", tb.found.messages, messages)}
      </div>
      {entries.length === 0 ? <p class="none">{palette.nothing}</p> : null}
      <p class="palette-hint">{palette.hint}</p>
    </Modal>
  );
}

function entryOf(session: Session, words: string): Entry {
  return {
    shown: marked(titleOf(session), words),
    id: session.id,
    label: titleOf(session),
    icon: "jump",
    note: ago(session.last_active_at),
    run: () => act(() => openSession(session.id)),
  };
}

/** Those in the list beside, and with words in the field those that have them in their title. */
function useChats(query: string): readonly Session[] {
  const [found, setFound] = useState<readonly Session[]>(() => (state.get().query ? [] : state.get().sessions));
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    const ask = async (): Promise<void> => {
      const sessions = await call<Session[]>("list_sessions", { limit: CHATS, query: query.trim() || null });
      if (mine === turn.current) setFound(sessions);
    };
    const timer = setTimeout(() => state.get().ready && act(ask), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return found;
}

function actionsNow(): Entry[] {
  const { ready, panel, incognito, busy } = state.get();
  const { palette } = tp;
  const entry = (id: string, icon: Entry["icon"], run: () => void, keys?: string): Entry => ({
    id,
    icon,
    label: palette[id as keyof typeof palette],
    run,
    ...(keys && { keys }),
  });
  return [
    entry("newChat", "plus", newChat, `${modifier} ⇧ O`),
    ...(incognito ? [] : [entry("newIncognito", "incognito", openIncognito)]),
    entry(panel ? "closeMemory" : "memory", "memory", () => openPanel(!panel)),
    ...(ready ? [entry("about", "page", dialog("about"))] : []),
    ...(ready && (busy === null || busy === "chats") ? [entry("import", "import", dialog("import"))] : []),
    ...(ready && busy === null
      ? [entry("export", "export", () => act(exportFile)), entry("exportOther", "export", dialog("export"))]
      : []),
    entry("models", "model", dialog("models")),
    entry("storage", "storage", dialog("storage")),
    entry("sync", "sync", dialog("sync")),
    ...(ready ? [entry("health", "health", dialog("health"))] : []),
    entry("profiles", "person", dialog("profiles")),
    entry("settings", "settings", dialog("settings"), `${modifier} ,`),
    entry("write", "pencil", focus("#message"), "/"),
    entry("shortcuts", "keys", dialog("shortcuts"), "?"),
  ];
}
