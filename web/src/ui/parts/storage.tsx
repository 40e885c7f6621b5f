/** Where the memory lies, how safe it is there, and what can be done about it. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Status } from "../../client/types";
import { aside, counted, full, size, t } from "../i18n";
import { countAll, messagesSince } from "../state/backup";
import { askToGoBack, askToReplace, exportFile } from "../state/files";
import { act, call, memoryNow } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Modal } from "./modal";

export function Storage(): JSX.Element {
  const status = useStore(state, (value) => value.status);
  const installable = useStore(state, (value) => value.installable);
  const ready = useStore(state, (value) => value.ready);
  const offline = useStore(state, (value) => value.worksOffline);
  useEffect(() => {
    if (ready) act(countAll);
  }, [ready, status?.lastSaved]);
  const installed = matchMedia("(display-mode: standalone)").matches;
  const { storage } = t;
  const { usage, quota } = status ?? {};
  const known = usage != null && Boolean(quota);
  return (
    <Modal title={storage.title}>
      <p>{storage.lead}</p>
      <dl>
        <Row name={storage.state}>{t.status[status?.state ?? "starting"]}</Row>
        <Row name={storage.lastSave}>{status?.lastSaved ? full(status.lastSaved) : storage.thisSession}</Row>
        <Holds />
        <LastBackup />
        <Row name={storage.persistence}>{protection(status)}</Row>
        <Row name={storage.space}>
          <span>{known ? storage.used(size(usage as number), size(quota as number)) : storage.spaceUnknown}</span>
          {known ? (
            <meter
              min={0}
              max={quota as number}
              high={(quota as number) * 0.9}
              value={usage as number}
              aria-label={storage.space}
            />
          ) : null}
        </Row>
        <Generations status={status} ready={ready} />
        <Integrity ready={ready} />
        <Row name={storage.tab}>
          <span>{status?.owner === "other-tab" ? storage.otherTab : storage.thisTab}</span>
          {status?.owner === "other-tab" ? (
            <button type="button" onClick={() => memoryNow()?.takeOver()}>
              {storage.useHere}
            </button>
          ) : null}
        </Row>
        <Row name={storage.offline}>{offline ? storage.worksOffline : storage.notOffline}</Row>
        <Row name={storage.installed}>
          <span>
            {installed ? storage.isInstalled : `${storage.notInstalled} ${installable ? "" : storage.installHow}`}
          </span>
          {installable && !installed ? (
            <button type="button" onClick={installable}>
              {storage.install}
            </button>
          ) : null}
        </Row>
      </dl>
      <Replace ready={ready} />
    </Modal>
  );
}

function Row({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function protection(status: Status | null): string {
  const { storage } = t;
  if (status?.memoryOnly) return storage.memoryOnly;
  return storage.persistences[status?.persistence ?? "unasked"];
}

function Holds(): JSX.Element | null {
  const counts = useStore(state, (value) => value.counts);
  const waiting = useStore(state, (value) => value.waiting.total);
  const { storage } = t;
  if (!counts) return null;
  return (
    <Row name={storage.holds}>
      <span>
        {counted({ ...counts, facts: counts["current_facts"] ?? 0 }) || storage.nothing}
        {aside(size(counts["bytes"] ?? 0))}
        {waiting ? <small>{storage.waiting(waiting)}</small> : null}
      </span>
    </Row>
  );
}

function LastBackup(): JSX.Element {
  const backup = useStore(state, (value) => value.backup);
  const since = useStore(state, messagesSince);
  const ready = useStore(state, (value) => value.ready);
  const { storage } = t;
  return (
    <Row name={storage.backup}>
      <span>
        {backup ? full(backup.at) : storage.never}
        {backup ? <small>{since ? storage.since(since) : storage.nothingSince}</small> : null}
      </span>
      <button type="button" disabled={!ready} onClick={() => act(exportFile)}>
        {storage.exportNow}
      </button>
      <button type="button" class="quiet" disabled={!ready} onClick={() => state.set({ dialog: { kind: "export" } })}>
        {t.files.otherForms}
      </button>
    </Row>
  );
}

function Generations({ status, ready }: { status: Status | null; ready: boolean }): JSX.Element {
  const [current, previous] = status?.generations ?? [];
  const { storage } = t;
  const told = (at: number | null | undefined): string => (at ? full(at) : "");
  return (
    <Row name={storage.copies}>
      <span>
        {current ? storage.inUse(current.generation, told(current.at)) : storage.noCopy}
        {current ? (
          <small>{previous ? storage.before(previous.generation, told(current.at)) : storage.noneBefore}</small>
        ) : null}
      </span>
      {previous ? (
        <button type="button" disabled={!ready} onClick={() => act(askToGoBack)}>
          {storage.goBack}
        </button>
      ) : null}
    </Row>
  );
}

function Integrity({ ready }: { ready: boolean }): JSX.Element {
  const [problems, setProblems] = useState<readonly string[] | null>(null);
  const { storage } = t;
  const found = problems === null ? storage.unchecked : problems.length ? storage.damaged : storage.whole;
  return (
    <Row name={storage.integrity}>
      <span aria-live="polite">
        {found}
        {problems?.slice(0, 3).map((problem) => <small key={problem}>{problem}</small>)}
      </span>
      <button
        type="button"
        disabled={!ready}
        onClick={() => act(async () => setProblems(await call<string[]>("check")))}
      >
        {storage.check}
      </button>
    </Row>
  );
}

function Replace({ ready }: { ready: boolean }): JSX.Element {
  const file = useRef<HTMLInputElement>(null);
  const { storage } = t;
  return (
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
  );
}
