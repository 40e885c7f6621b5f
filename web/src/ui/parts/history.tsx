/** What was held under a fact's key before, and what was true or known on a day. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { day, t } from "../i18n";
import type { Fact } from "../model";
import { tb } from "../i18n/basis";
import { act, call } from "../state/memory";

/** The last moment of a day in the calendar of this device, as ms UTC. */
const endOf = (date: string): number => new Date(`${date}T23:59:59.999`).getTime();

export function History({ fact, former }: { fact: Fact; former: Fact | undefined }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="history" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary dir="auto">
        {former
          ? t.panel.before(former.value, day(former.valid_to ?? former.superseded_at ?? former.created_at))
          : tb.history}
      </summary>
      {open ? <Versions fact={fact} /> : null}
    </details>
  );
}

function Versions({ fact }: { fact: Fact }): JSX.Element {
  const [versions, setVersions] = useState<readonly Fact[]>([]);
  const [then, setThen] = useState<{ held: Fact | null; known: Fact | null } | null>(null);
  const read = async (): Promise<void> => {
    const all = await call<Fact[]>("fact_history", { key: fact.key });
    setVersions(all.filter(({ status }) => status !== "candidate"));
  };
  useEffect(() => act(read), []);
  const ask = async (date: string): Promise<void> => {
    if (!date) return setThen(null);
    const [held, known] = await Promise.all([
      call<Fact | null>("get_fact", { key: fact.key, as_of: endOf(date) }),
      call<Fact | null>("get_fact", { key: fact.key, known_at: endOf(date) }),
    ]);
    setThen({ held, known });
  };
  return (
    <>
      <ol>
        {versions.map((version) => (
          <li key={version.id}>
            <span dir="auto">{version.value}</span> <small>{span(version)}</small>
          </li>
        ))}
      </ol>
      {versions.length === 1 ? <p>{tb.onlyThis}</p> : null}
      <label>
        {t.panel.onDay}
        <input type="date" onChange={({ currentTarget }) => act(() => ask(currentTarget.value))} />
      </label>
      <p aria-live="polite">
        {then ? t.panel.heldThen(then.held?.value ?? t.panel.nothingThen, then.known?.value ?? t.panel.nothingThen) : null}
      </p>
    </>
  );
}

function span({ valid_from, valid_to, superseded_at, created_at }: Fact): string {
  const end = valid_to ?? superseded_at;
  return t.panel.span(day(valid_from ?? created_at), end === null ? null : day(end));
}
