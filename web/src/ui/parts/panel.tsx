/** Everything that is remembered, in human words, each with where it came from. */

import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { day, t } from "../i18n";
import { tb } from "../i18n/basis";
import { type Group, GROUPS, groupOf, keyInWords } from "../i18n/keys";
import { type Fact, isOfDay, MAX_VALUE_CHARACTERS } from "../model";
import {
  change,
  finish,
  keep,
  openPanel,
  pin,
  renew,
  searchRemembered,
  showMoreRemembered,
} from "../state/facts";
import { act } from "../state/memory";

import { state } from "../state/state";
import { useStore } from "../state/store";
import { goToMessage } from "../state/window";
import { Proposals } from "./cards";
import { Editor } from "./editor";
import { keepFocus } from "./focus";
import { Disputes } from "./disputes";
import { Forgotten } from "./forgotten";
import { History } from "./history";
import { IconButton } from "./icon-button";
import { Icon } from "./icons";
import { memo } from "./memo";
import { useStepwise } from "./stepwise";

const SEARCHABLE_FROM = 12;
const SEARCH_MS = 150;
/** Rendered at a time: what fills a small window comes first, the others follow. */
const STEP = 4;
/** More is read when the end is this many windows away. */
const REACH = 2;
const NONE: readonly Fact[] = [];

export function Panel({ narrow }: { narrow: boolean }): JSX.Element {
  const read = useStore(state, (value) => value.remembered);
  const count = useStore(state, (value) => value.rememberedCount);
  const wanted = useStore(state, (value) => value.wanted);
  const waiting = useStore(state, (value) => value.waiting);
  const expired = useStore(state, (value) => value.expired);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const panel = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const ready = STEP * useStepwise(Math.ceil(read.length / STEP));
  const facts = useMemo(() => read.slice(0, ready), [read, ready]);
  const close = (): void => openPanel(false);
  const more = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = body.current as HTMLElement;
    if (scrollHeight - scrollTop < REACH * clientHeight) showMoreRemembered();
  };
  useEffect(() => {
    const giveBack = keepFocus();
    panel.current?.focus();
    return () => {
      clearTimeout(timer.current);
      giveBack();
    };
  }, []);
  const words = wanted.trim().toLowerCase();
  const pinned = facts.filter((fact) => fact.pinned);
  const groups = useMemo(() => grouped(facts), [facts]);
  const candidates = useMemo(() => waiting.facts.filter(({ status }) => status === "candidate"), [waiting]);
  const disputed = useMemo(() => waiting.facts.filter(({ status }) => status === "disputed"), [waiting]);
  const go = useCallback(
    (id: string, words?: string): void =>
      act(async () => {
        if (narrow) close();
        await goToMessage(id, words);
      }),
    [narrow],
  );
  return (
    <aside
      class="panel"
      aria-labelledby="panel-title"
      ref={panel}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <header>
        <h2 id="panel-title">{t.panel.title}</h2>
        <button
          type="button"
          class="icon-button as-page"
          aria-label={t.panel.asPage}
          title={t.panel.asPage}
          onClick={() => state.set({ dialog: { kind: "about" } })}
        >
          <Icon name="page" />
        </button>
        <button type="button" class="icon-button" aria-label={t.panel.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div class="panel-body" ref={body} onScroll={more}>
        {waiting.total > disputed.length ? (
          <section class="panel-group waiting-group">
            <h3>
              {t.panel.waiting} <small class="count">{waiting.total - disputed.length}</small>
            </h3>
            <Proposals facts={candidates} heading={false} more={waiting.total - waiting.facts.length} />
          </section>
        ) : null}
        {disputed.length ? <Disputes facts={disputed} go={go} /> : null}
        {read.length >= SEARCHABLE_FROM || wanted ? (
          <div class="search">
            <Icon name="search" />
            <input
              type="search"
              dir="auto"
              aria-label={t.panel.search}
              placeholder={t.panel.search}
              onInput={({ currentTarget: { value } }) => {
                clearTimeout(timer.current);
                timer.current = setTimeout(() => searchRemembered(value), SEARCH_MS);
              }}
            />
          </div>
        ) : null}
        {facts.length === 0 && !words && waiting.total === 0 && expired.length === 0 ? <p class="none">{t.panel.empty}</p> : null}
        {facts.length === 0 && words ? <p class="none">{t.panel.nothingFound}</p> : null}
        <Section title={t.panel.pinned} facts={pinned} go={go} />
        {GROUPS.map((group) => (
          <Section
            key={group}
            title={t.groups[group]}
            facts={groups.get(group) ?? NONE}
            go={go}
          />
        ))}
        {count > read.length ? (
          <button type="button" class="quiet" onClick={showMoreRemembered}>
            {t.panel.more(count - read.length)}
          </button>
        ) : null}
        <Expired words={words} />
        <Forgotten />
      </div>
    </aside>
  );
}

/** What is not pinned, by group, in the order given: as it was learned, so that nothing moves when another changes. */
function grouped(facts: readonly Fact[]): ReadonlyMap<Group, readonly Fact[]> {
  const groups = new Map<Group, Fact[]>();
  for (const fact of facts.filter(({ pinned }) => !pinned)) {
    const group = groupOf(fact.key);
    groups.set(group, [...(groups.get(group) ?? []), fact]);
  }
  return groups;
}

/** A to-do says its day, everything else since when it holds. */
function when(fact: Fact): string {
  const { key, spoken_words: spoken, valid_from: from, zone, created_at: made } = fact;
  const ofDay = isOfDay(fact);
  if (key.startsWith("task::") && spoken && from !== null) return t.panel.due(day(from, zone));
  if (ofDay) return t.panel.meant(spoken as string, day(from as number, zone));
  return t.panel.since(day(from ?? made));
}

function Section({
  title,
  facts,
  go,
}: {
  title: string;
  facts: readonly Fact[];
  go: (id: string, words?: string) => void;
}): JSX.Element | null {
  if (facts.length === 0) return null;
  return (
    <section class="panel-group">
      <h3>{title}</h3>
      <ul>
        {facts.map((fact, i) => {
          const before = facts[i - 1];
          return <Entry key={fact.id} fact={fact} go={go} dated={!before || when(before) !== when(fact)} />;
        })}
      </ul>
    </section>
  );
}

/** What is past its time: no longer counted on, until it is renewed. */
function Expired({ words }: { words: string }): JSX.Element | null {
  const expired = useStore(state, (value) => value.expired);
  const found = expired.filter((fact) => `${keyInWords(fact.key)} ${fact.value}`.toLowerCase().includes(words));
  if (found.length === 0) return null;
  return (
    <section class="panel-group">
      <h3>{t.panel.expiredTitle}</h3>
      <ul>
        {found.map((fact) => {
          const id = `fact-${fact.id}`;
          return (
            <li key={fact.id} class="entry expired">
              <p class="entry-fact" id={id}>
                <span class="key">{keyInWords(fact.key)}</span>
                <span class="value" dir="auto">
                  {fact.value}
                </span>
                <small class="since">{t.panel.expired(day(fact.expires_at ?? fact.created_at))}</small>
              </p>
              <div class="entry-actions">
                <button type="button" aria-describedby={id} onClick={() => act(() => renew(fact))}>
                  {t.panel.renew}
                </button>
                <IconButton icon="bin" label={t.panel.forget} about={id} onClick={() => state.set({ dialog: { kind: "forget", fact } })} />
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface EntryProps {
  fact: Fact;
  go: (id: string, words?: string) => void;
  /** Its date is not the one above it: only then it is seen again. */
  dated: boolean;
}

const Entry = memo(({ fact, go, dated }: EntryProps) => {
  const [editing, setEditing] = useState(false);
  const former = useStore(state, (value) =>
    value.former.get(fact.key)?.find((old) => old.value !== fact.value),
  );
  const id = `fact-${fact.id}`;
  const source = fact.source_message_id;
  const key = keyInWords(fact.key);
  if (editing) {
    return (
      <li class="entry">
        <span class="key">{key}</span>
        <Editor
          value={fact.value}
          label={t.facts.valueOf(key)}
          limit={MAX_VALUE_CHARACTERS}
          onCancel={() => setEditing(false)}
          onSave={(value) => {
            setEditing(false);
            act(() => change(fact, value));
          }}
        />
      </li>
    );
  }
  return (
    <li class="entry">
      <p class="entry-fact" id={id}>
        <span class="key">{key}</span>
        <span class="value" dir="auto">
          {fact.value}
        </span>
        <small class={dated ? "since" : "since sr"}>{when(fact)}</small>
      </p>
      {fact.needs_review ? (
        <p class="review">
          {t.panel.review}{" "}
          <button type="button" aria-describedby={id} onClick={() => act(() => keep(fact))}>
            {t.panel.stillRight}
          </button>
        </p>
      ) : null}
      {fact.quote ? (
        <p class="quote" dir="auto">
          <q>{fact.quote}</q>
        </p>
      ) : null}
      <p class="entry-measures">
        {tb.timesUsed(fact.use_count)} · {tb.sure(Math.round(fact.confidence * 100))}
      </p>
      <History fact={fact} former={former} />
      <div class="entry-actions">
        {fact.key.startsWith("task::") ? (
          <button type="button" class="primary" aria-describedby={id} onClick={() => act(() => finish(fact))}>
            <Icon name="check" />
            {t.panel.done}
          </button>
        ) : null}
        {source ? (
          <button type="button" aria-describedby={id} onClick={() => go(source, fact.quote ?? undefined)}>
            <Icon name="jump" />
            {tb.where}
          </button>
        ) : null}
        <IconButton icon="pin" filled={fact.pinned} label={fact.pinned ? t.panel.unpin : t.panel.pin} about={id} onClick={() => act(() => pin(fact))} />
        <IconButton icon="pencil" label={t.panel.edit} about={id} onClick={() => setEditing(true)} />
        <IconButton icon="bin" label={t.panel.forget} about={id} onClick={() => state.set({ dialog: { kind: "forget", fact } })} />
      </div>
    </li>
  );
});
