/** What has come of an import, and the way back. */

import { Fragment, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ti } from "../i18n/import";
import type { ChatReport } from "../model";
import { importing, openNewest, showSuggestions, summary, takeBack } from "../state/importing";
import { act } from "../state/memory";
import { useStore } from "../state/store";
import { close } from "./modal";

export function ImportReport(): JSX.Element {
  const undone = useStore(importing, (value) => value.step === "undone");
  const report = useStore(importing, (value) => value.report) as ChatReport;
  if (undone) {
    return (
      <>
        <p role="status">{ti.undoneNote}</p>
        <div class="dialog-actions">
          <button type="button" class="primary" onClick={close}>
            {ti.ok}
          </button>
        </div>
      </>
    );
  }
  const { conversations, suggestions, cancelled } = report;
  const rows = (["added", "updated", "known"] as const).filter((what) => conversations[what]);
  const suggested = suggestions["added"] ?? 0;
  return (
    <>
      <p class="import-summary" role="status">
        {summary(report)}
      </p>
      {cancelled ? <p>{ti.stoppedNote}</p> : null}
      <dl>
        {rows.length > 1 || conversations["updated"]
          ? rows.map((what) => (
              <Fragment key={what}>
                <dt>{ti.rows[what]}</dt>
                <dd>{ti.chats(conversations[what] ?? 0)}</dd>
              </Fragment>
            ))
          : null}
        <LeftOut report={report} />
      </dl>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={close}>
          {ti.ok}
        </button>
        {report.sessions.length ? (
          <button type="button" onClick={() => act(openNewest)}>
            {ti.open}
          </button>
        ) : null}
        {suggested ? (
          <button type="button" onClick={showSuggestions}>
            {ti.confirm}
          </button>
        ) : null}
        <Undo report={report} />
      </div>
    </>
  );
}

/** For as long as the memory can. */
function Undo({ report: { operation_id, undo_until } }: { report: ChatReport }): JSX.Element | null {
  const [left, setLeft] = useState((undo_until ?? 0) - Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setLeft(0), left);
    return () => clearTimeout(timer);
  }, []);
  if (!operation_id || left <= 0) return null;
  return (
    <button type="button" onClick={() => act(takeBack)}>
      {ti.undo}
    </button>
  );
}

function LeftOut({ report: { conversations, skipped, suggestions } }: { report: ChatReport }): JSX.Element | null {
  const { added: _, ...others } = suggestions;
  const notSuggested = Object.entries(others).map(([why, n]) => `${ti.memories(n)}: ${ti.why[why] ?? why}`);
  if (!conversations["skipped"] && notSuggested.length === 0) return null;
  return (
    <>
      <dt>{ti.rows.left}</dt>
      <dd>
        <span>
          {conversations["skipped"] ? ti.chats(conversations["skipped"]) : null}
          <ul class="samples">
            {skipped.map(({ title, why }, i) => (
              <li key={i} dir="auto">
                {title || ti.untitled}: {ti.why[why] ?? why}
              </li>
            ))}
            {notSuggested.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </span>
      </dd>
    </>
  );
}
