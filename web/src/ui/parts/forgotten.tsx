/** What was forgotten: when and how much, since nothing else is left of it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted, full, t } from "../i18n";
import type { Forgotten as Entry } from "../model";
import { act, call } from "../state/memory";

export function Forgotten(): JSX.Element {
  const [entries, setEntries] = useState<readonly Entry[] | null>(null);
  const read = async (): Promise<void> => setEntries(await call<Entry[]>("list_forgotten"));
  return (
    <details class="bygone" onToggle={({ currentTarget }) => currentTarget.open && act(read)}>
      <summary>{t.panel.forgottenTitle}</summary>
      {entries && !entries.length ? <p>{t.panel.nothingForgotten}</p> : null}
      <ol>
        {(entries ?? []).map(({ forgotten_at: at, counts }) => (
          <li key={at}>
            <span>{counted(counts)}</span> <small>{full(at)}</small>
          </li>
        ))}
      </ol>
    </details>
  );
}
