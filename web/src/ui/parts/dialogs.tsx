import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { counted, full, size, t } from "../i18n";
import type { ImportReport } from "../model";
import { askToReplace, exportFile, replaceBy } from "../state/files";
import { act, call, memoryNow } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

const close = (): void => state.set({ dialog: null });

export function Dialogs(): JSX.Element | null {
  const dialog = useStore(state, (value) => value.dialog);
  if (!dialog) return null;
  if (dialog.kind === "storage") return <Storage />;
  if (dialog.kind === "imported") return <Imported report={dialog.report} />;
  return (
    <Modal title={t.files.replaceTitle}>
      <p>{t.files.replaceLead(dialog.name)}</p>
      <p>{t.storage.replaceNote}</p>
      <div class="dialog-actions">
        <button type="button" class="danger" onClick={() => act(() => replaceBy(dialog.bytes))}>
          {t.files.replaceDo}
        </button>
        <button type="button" onClick={close}>
          {t.facts.cancel}
        </button>
      </div>
    </Modal>
  );
}

function Modal({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="icon-button" aria-label={t.panel.close} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

function Storage(): JSX.Element {
  const status = useStore(state, (value) => value.status);
  const lastExport = useStore(state, (value) => value.lastExport);
  const installable = useStore(state, (value) => value.installable);
  const ready = useStore(state, (value) => value.ready);
  const facts = useStore(state, (value) => value.facts.length);
  const waiting = useStore(state, (value) => value.proposals.length);
  const offline = useStore(state, (value) => value.worksOffline);
  const [counts, setCounts] = useState<Record<string, number> | null>(null);
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ready) act(async () => setCounts(await call("stats")));
  }, [ready, status?.lastSaved]);
  const installed = matchMedia("(display-mode: standalone)").matches;
  const { storage } = t;
  const kept =
    status?.persistent === true
      ? storage.persistent
      : status?.persistent === false
        ? storage.notPersistent
        : storage.persistenceUnknown;
  const { usage, quota } = status ?? {};
  return (
    <Modal title={storage.title}>
      <p>{storage.lead}</p>
      <dl>
        <dt>{storage.state}</dt>
        <dd>{t.status[status?.state ?? "starting"]}</dd>
        {counts ? (
          <>
            <dt>{storage.holds}</dt>
            <dd>
              <span>
                {counted({ ...counts, facts }) || storage.nothing} ({size(counts["bytes"] ?? 0)})
                {waiting ? <small>{storage.waiting(waiting)}</small> : null}
              </span>
            </dd>
          </>
        ) : null}
        <dt>{storage.persistence}</dt>
        <dd>{status?.memoryOnly ? storage.memoryOnly : kept}</dd>
        <dt>{storage.space}</dt>
        <dd>
          <span>{usage != null && quota ? storage.used(size(usage), size(quota)) : storage.spaceUnknown}</span>
          {usage != null && quota ? (
            <meter min={0} max={quota} high={quota * 0.9} value={usage} aria-label={storage.space} />
          ) : null}
        </dd>
        <dt>{storage.lastSave}</dt>
        <dd>{status?.lastSaved ? full(status.lastSaved) : storage.thisSession}</dd>
        <dt>{storage.generation}</dt>
        <dd>{storage.generationNote(status?.generation ?? 0)}</dd>
        <dt>{storage.tab}</dt>
        <dd>
          <span>{status?.owner === "other-tab" ? storage.otherTab : storage.thisTab}</span>
          {status?.owner === "other-tab" ? (
            <button type="button" onClick={() => memoryNow()?.takeOver()}>
              {storage.useHere}
            </button>
          ) : null}
        </dd>
        <dt>{storage.offline}</dt>
        <dd>{offline ? storage.worksOffline : storage.notOffline}</dd>
        <dt>{storage.installed}</dt>
        <dd>
          <span>
            {installed ? storage.isInstalled : `${storage.notInstalled} ${installable ? "" : storage.installHow}`}
          </span>
          {installable && !installed ? (
            <button type="button" onClick={installable}>
              {storage.install}
            </button>
          ) : null}
        </dd>
        <dt>{storage.backup}</dt>
        <dd>
          <span>{lastExport ? full(lastExport) : storage.never}</span>
          <button type="button" disabled={!ready} onClick={() => act(exportFile)}>
            {storage.exportNow}
          </button>
        </dd>
      </dl>
      <div class="dialog-foot">
        <button type="button" disabled={!ready} onClick={() => file.current?.click()}>
          {storage.replace}
        </button>
        <small>{storage.replaceNote}</small>
        <input
          ref={file}
          type="file"
          hidden
          data-testid="replace-file"
          aria-label={storage.replace}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.files?.[0];
            if (chosen) act(() => askToReplace(chosen));
          }}
        />
      </div>
    </Modal>
  );
}

function Imported({ report }: { report: ImportReport }): JSX.Element {
  const { imported, skipped, conflicts, unknown_columns: unknown, refused } = report;
  const [added, kept] = [counted(imported), counted(skipped)];
  return (
    <Modal title={t.files.imported}>
      {added ? <p>{t.files.added(added)}</p> : null}
      {added || conflicts ? null : <p>{t.files.nothingNew}</p>}
      {kept ? <p>{t.files.skipped(kept)}</p> : null}
      {conflicts ? <p>{t.files.conflicts(conflicts)}</p> : null}
      {unknown.length ? <p>{t.files.unknown(unknown.join(", "))}</p> : null}
      {refused.length ? (
        <>
          <p>{t.files.refused}</p>
          <ul class="refused">
            {refused.map((line) => (
              <li key={line} dir="auto">
                {line}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={close}>
          {t.files.ok}
        </button>
      </div>
    </Modal>
  );
}
