/** The memory cannot be opened: what happened, and ways on. Nothing is deleted by any of them. */

import type { JSX } from "preact";
import type { MemoryFault } from "../../client/types";
import { sentence, t } from "../i18n";
import { downloadRaw, startEmpty } from "../state/files";
import { act } from "../state/memory";

export function Failed({ fault }: { fault: MemoryFault }): JSX.Element {
  const choices = fault.choices ?? [];
  const said = sentence(fault);
  return (
    <section class="start-failed" role="alert">
      <h2>{t.failed.title}</h2>
      <p>{said}</p>
      <p>{t.failed.lead}</p>
      <ul>
        <li>
          <button type="button" class="primary" onClick={() => location.reload()}>
            {t.failed.reload}
          </button>
        </li>
        {choices.includes("raw") ? (
          <li>
            <button type="button" onClick={() => act(downloadRaw)}>
              {t.failed.raw}
            </button>{" "}
            <small>{t.failed.rawNote}</small>
          </li>
        ) : null}
        {choices.includes("empty") ? (
          <li>
            <button type="button" onClick={() => act(startEmpty)}>
              {t.failed.empty}
            </button>{" "}
            <small>{t.failed.emptyNote}</small>
          </li>
        ) : null}
      </ul>
      {said === fault.message ? null : (
        <details>
          <summary>{t.failed.details}</summary>
          <p dir="auto">
            {fault.name}: {fault.message}
          </p>
        </details>
      )}
    </section>
  );
}
