/** Two things that cannot both be true, side by side: the user says which one holds. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { day, labelled, t } from "../i18n";
import { tb } from "../i18n/basis";
import { keyInWords } from "../i18n/keys";
import type { Fact } from "../model";
import { choose, end, keep } from "../state/facts";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

type Go = (id: string, words?: string) => void;

export function Disputes({ facts, go }: { facts: readonly Fact[]; go: Go }): JSX.Element {
  const conflicts = useStore(state, (value) => value.waiting.conflicts);
  const group = useRef<HTMLElement>(null);
  // The button that was pressed goes away; whoever uses the keyboard goes on from here.
  const answer = (work: () => Promise<unknown>): void => {
    act(work);
    group.current?.focus({ preventScroll: true });
  };
  return (
    <section class="panel-group disputes" ref={group} tabIndex={-1} aria-labelledby="disputes-title">
      <h3 id="disputes-title">{tb.disputed}</h3>
      <p class="disputes-lead">{tb.disputedLead}</p>
      {facts.map((fact) => {
        const found = conflicts.find((conflict) => conflict.fact.id === fact.id);
        return (
          <div key={fact.id} class="card dispute" role="group" aria-label={labelled(keyInWords(fact.key), fact.value)}>
            <div class="dispute-sides">
              <Side fact={fact} label={tb.earlierSaid} go={go} choose={() => answer(() => (found ? choose(found, fact) : keep(fact)))} />
              {found ? (
                <Side fact={found.other} label={tb.laterSaid} go={go} choose={() => answer(() => choose(found, found.other))} />
              ) : null}
            </div>
            <div class="card-actions">
              {found?.why === "value" ? null : (
                <button type="button" onClick={() => answer(() => keep(fact))}>
                  {t.facts.bothHold}
                </button>
              )}
              {found ? null : (
                <button type="button" onClick={() => answer(() => end(fact))}>
                  {t.facts.noLonger}
                </button>
              )}
            </div>
          </div>
        );
      })}
    </section>
  );
}

function Side({ fact, label, go, choose: take }: { fact: Fact; label: string; go: Go; choose(): void }): JSX.Element {
  const id = `side-${fact.id}`;
  const source = fact.source_message_id;
  return (
    <div class="side">
      <p id={id}>
        <small>{label}</small>
        <small>{day(fact.valid_from ?? fact.created_at)}</small>
        <span class="key">{keyInWords(fact.key)}</span>
        <span class="value" dir="auto">
          {fact.value}
        </span>
      </p>
      <button type="button" class="primary" aria-describedby={id} onClick={take}>
        {tb.thisOne}
      </button>
      {source ? (
        <button type="button" class="quiet" aria-describedby={id} onClick={() => go(source, fact.quote ?? undefined)}>
          <Icon name="jump" />
          {tb.where}
        </button>
      ) : null}
    </div>
  );
}

