/** The memory cannot be opened: what happened, and ways on. Nothing is deleted by any of them. */

import type { JSX } from "preact";
import type { MemoryFault } from "../../client/types";
import { sentence, t } from "../i18n";
import { downloadRaw, goOnWith } from "../state/files";
import { act } from "../state/memory";

/** What keeps most comes first. */
const ORDER = ["previous", "raw", "empty"] as const;

export function Failed({ fault }: { fault: MemoryFault }): JSX.Element {
  const choices = fault.choices ?? [];
  const said = fault.code === "damaged" ? t.failed.damaged : sentence(fault);
  const { failed } = t;
  const offered = {
    previous: { label: failed.previous, note: failed.previousNote, run: () => act(() => goOnWith("previous")) },
    raw: { label: failed.raw, note: failed.rawNote, run: () => act(downloadRaw) },
    empty: { label: failed.empty, note: failed.emptyNote, run: () => act(() => goOnWith("empty")) },
  };
  const reload = { label: failed.reload, note: failed.reloadNote, run: () => location.reload() };
  const ways = [reload, ...ORDER.filter((choice) => choices.includes(choice)).map((choice) => offered[choice])];
  return (
    <section class="start-failed" role="alert">
      <h2>{failed.title}</h2>
      <p>{said}</p>
      <p>{failed.lead}</p>
      <ul>
        {ways.map(({ label, note, run }, i) => (
          <li key={label}>
            <button type="button" class={i === 0 ? "primary" : ""} aria-describedby={`way-${i}`} onClick={run}>
              {label}
            </button>
            <small id={`way-${i}`}>{note}</small>
          </li>
        ))}
      </ul>
      {said === fault.message ? null : (
        <details>
          <summary>{failed.details}</summary>
          <p dir="auto">
            {fault.name}: {fault.message}
          </p>
        </details>
      )}
    </section>
  );
}
