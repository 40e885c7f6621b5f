/** What was noticed in a message, beneath it: proposals that wait for a yes, and what has been kept. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { day, t } from "../i18n";
import { keyInWords } from "../i18n/keys";
import { type Fact, isOfDay, MAX_VALUE_CHARACTERS } from "../model";
import { holdsMany, keep, keepAll, openPanel, reject, showMoreWaiting } from "../state/facts";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Editor } from "./editor";
import { Icon } from "./icons";
import { useStepwise } from "./stepwise";

/** Where many wait, the others follow. */
const FIRST_CARDS = 3;

/** The second click of a double one would hit the next card, which moves up. */
const once =
  (work: () => void) =>
  (event: MouseEvent): void => {
    if (event.detail < 2) work();
  };

const point = (id: string | null): void => state.set({ pointed: id });

export function Proposals({
  facts,
  heading = true,
  more = 0,
}: {
  facts: readonly Fact[];
  heading?: boolean;
  /** How many others wait. */
  more?: number;
}): JSX.Element | null {
  const group = useRef<HTMLDivElement>(null);
  const ready = FIRST_CARDS * useStepwise(Math.ceil(facts.length / FIRST_CARDS));
  if (facts.length === 0 && !more) return null;
  // The button that was pressed goes away; whoever uses the keyboard goes on from here.
  const answer = (work: () => Promise<unknown>): void => {
    act(work);
    group.current?.focus({ preventScroll: true });
  };
  return (
    <div class="proposals" role="group" aria-label={t.facts.proposed} tabIndex={-1} ref={group}>
      {heading ? (
        <p class="proposals-heading">
          <span>{t.facts.proposed}</span> <small>{t.facts.proposedNote}</small>
        </p>
      ) : null}
      <ul>
        {facts.slice(0, ready).map((fact) => (
          <Proposal key={fact.id} fact={fact} answer={answer} />
        ))}
      </ul>
      {facts.length > 1 ? (
        <button type="button" class="keep-all" onClick={() => answer(() => keepAll(facts))}>
          <Icon name="check" /> {more ? t.facts.keepThese(facts.length) : t.facts.keepAll}
        </button>
      ) : null}
      {more ? (
        <button type="button" class="quiet" onClick={showMoreWaiting}>
          {t.panel.moreWaiting(more)}
        </button>
      ) : null}
    </div>
  );
}

function Proposal({ fact, answer }: { fact: Fact; answer: (work: () => Promise<unknown>) => void }): JSX.Element {
  const [editing, setEditing] = useState(false);
  const [more, setMore] = useState(false);
  const facts = useStore(state, (value) => value.facts);
  const label = `proposal-${fact.id}`;
  const corrected = useStore(state, (value) => value.waiting.corrected);
  const former = holdsMany(fact.key) ? undefined : [...facts, ...corrected].find((other) => other.key === fact.key);
  return (
    <li
      class="card"
      onPointerEnter={() => point(fact.id)}
      onPointerLeave={() => point(null)}
      onFocusCapture={() => point(fact.id)}
      onBlurCapture={() => point(null)}
    >
      <div id={label} class="card-fact">
        <span class="key">{keyInWords(fact.key)}</span>
        {editing ? null : (
          <span class="value" dir="auto">
            {fact.value}
          </span>
        )}
      </div>
      {(isOfDay(fact) || fact.key.startsWith("task::")) && fact.spoken_words && fact.valid_from !== null && !editing ? (
        <small class="corrects">{t.panel.meant(fact.spoken_words, day(fact.valid_from, fact.zone))}</small>
      ) : null}
      {former && former.value !== fact.value && !editing ? (
        <small class="corrects">{t.facts.corrects(former.value)}</small>
      ) : null}
      {editing ? (
        <Editor
          value={fact.value}
          label={t.facts.valueOf(keyInWords(fact.key))}
          limit={MAX_VALUE_CHARACTERS}
          onCancel={() => setEditing(false)}
          onSave={(value) => {
            setEditing(false);
            answer(() => keep(fact, value));
          }}
        />
      ) : (
        <div class="card-actions">
          <button type="button" class="primary" aria-describedby={label} onClick={once(() => answer(() => keep(fact)))}>
            {t.facts.keep}
          </button>
          <button type="button" aria-describedby={label} onClick={() => setEditing(true)}>
            {t.facts.edit}
          </button>
          <button type="button" aria-describedby={label} onClick={once(() => answer(() => reject(fact)))}>
            {t.facts.no}
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={t.facts.more}
            title={t.facts.more}
            aria-describedby={label}
            aria-expanded={more}
            onClick={() => setMore(!more)}
          >
            <Icon name="more" />
          </button>
        </div>
      )}
      {more && !editing ? (
        <button
          type="button"
          class="never quiet"
          aria-describedby={label}
          onClick={once(() => answer(() => reject(fact, true)))}
        >
          {t.facts.never}
        </button>
      ) : null}
    </li>
  );
}

export function Kept({ facts }: { facts: readonly Fact[] }): JSX.Element | null {
  if (facts.length === 0) return null;
  return (
    <ul class="kept-facts" aria-label={t.facts.kept}>
      {facts.map((fact) => (
        <li key={fact.id} onPointerEnter={() => point(fact.id)} onPointerLeave={() => point(null)}>
          <button type="button" class="kept-fact" onClick={() => openPanel(true)}>
            <Icon name="check" />
            <span class="key">{keyInWords(fact.key)}</span>
            <span class="value" dir="auto">
              {fact.value}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
