/** Syncing: what it means before it is switched on, and how it stands from then on. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SyncState } from "../../host/rpc";
import { hostOf } from "../../models/address";
import { full, inARow, locale, moment, size } from "../i18n";
import { ts } from "../i18n/sync";
import type { SyncPreview, SyncStatus } from "../model";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { changeToken, droppedWords, pause, readSyncing, switchOff, switchOn, sync, syncNow, tryDry, undoFirstSync } from "../state/sync";
import { AddressField, SecretField } from "./fields";
import { Modal } from "./modal";
import { SyncReview } from "./sync-review";

const CLOCK_MS = 120_000;

export function Sync(): JSX.Element {
  const ready = useStore(state, (value) => value.ready);
  const now = useStore(sync, (value) => value.state);
  useEffect(() => {
    if (ready) act(readSyncing);
  }, [ready]);
  useEffect(() => () => sync.set({ problem: null, preview: null, status: null }), []);
  return (
    <Modal title={ts.title}>
      {now === null ? null : !now.possible ? <p>{ts.impossible}</p> : now.on ? <On now={now} /> : <Off now={now} ready={ready} />}
      {now?.on ? null : <SyncReview />}
    </Modal>
  );
}

function Off({ now, ready }: { now: SyncState; ready: boolean }): JSX.Element {
  const busy = useStore(sync, (value) => value.busy);
  const wrong = useStore(sync, (value) => value.problem);
  const [typed, setTyped] = useState(now.address ?? location.origin);
  const [token, setToken] = useState("");
  return (
    <form
      class="sync-form"
      onSubmit={(event) => {
        event.preventDefault();
        act(() => switchOn(typed, token));
      }}
    >
      <p>{ts.lead}</p>
      <section class="sync-means">
        <h3>{ts.means}</h3>
        <ul>
          {ts.points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      </section>
      <div class="fields">
        <label for="sync-server">{ts.server}</label>
        <AddressField id="sync-server" disabled={busy} value={typed} onValue={setTyped} />
        <label for="sync-token">{ts.token}</label>
        <SecretField id="sync-token" placeholder="mt_…" disabled={busy} value={token} onValue={setToken} />
      </div>
      <p class="kind-note">{ts.tokenNote}</p>
      <Problem text={wrong ? ts.form[wrong] : said(now)} />
      <Dry />
      <div class="dialog-actions">
        <button type="submit" class="primary" disabled={!ready || busy}>
          {busy ? ts.switching : ts.switchOn}
        </button>
        <button type="button" disabled={!ready || busy} onClick={() => act(tryDry)}>
          {ts.dry}
        </button>
      </div>
    </form>
  );
}

function On({ now }: { now: SyncState }): JSX.Element {
  const status = useStore(sync, (value) => value.status);
  const busy = useStore(sync, (value) => value.busy);
  const wrong = useStore(sync, (value) => value.problem);
  const { running, progress, problem, address } = now;
  const wantsToken = problem !== null && ["unauthorized", "forbidden", "no_token", "other_user"].includes(problem.code);
  return (
    <>
      <p class="sync-state" role="status" data-state={running ? "running" : problem ? "failed" : "good"}>
        <span class="sync-dot" aria-hidden="true" />
        {running ? ts.runs(progress?.sent ?? 0, progress?.left ?? 0, progress?.received ?? 0) : problem ? ts.failed : ts.good}
      </p>
      {running && progress && progress.sent + progress.left > 0 ? (
        <progress value={progress.sent} max={progress.sent + progress.left} aria-label={ts.title} />
      ) : null}
      <Problem text={wrong ? ts.form[wrong] : running ? null : said(now)} />
      {wantsToken ? <NewToken /> : null}
      <dl>
        <Row name={ts.server}>{address ? hostOf(address) : ""}</Row>
        <Row name={ts.lastSync}>{now.lastAt ? full(now.lastAt) : ts.never}</Row>
        <Row name={ts.waits}>{waiting(status)}</Row>
        <Row name={ts.next}>{whenNext(now)}</Row>
        <Row name={ts.clock}>{clock(status)}</Row>
        {status?.rejected.length ? <Row name={ts.aside}>{ts.asideNote(status.rejected.length)}</Row> : null}
      </dl>
      {now.dropped ? <p class="kind-note">{inARow(droppedWords(now.dropped), ts.droppedAt(full(now.dropped.at)))}</p> : null}
      {now.restarted ? <p class="kind-note">{ts.restarted}</p> : null}
      <Dry />
      <div class="dialog-actions">
        {running ? (
          <button type="button" onClick={() => act(pause)}>
            {ts.stopNow}
          </button>
        ) : (
          <button type="button" class="primary" disabled={busy} onClick={() => act(syncNow)}>
            {ts.now}
          </button>
        )}
        <button type="button" disabled={busy} onClick={() => act(tryDry)}>
          {ts.dry}
        </button>
      </div>
      <SyncReview />
      <Ending now={now} busy={busy} />
    </>
  );
}

function Ending({ now, busy }: { now: SyncState; busy: boolean }): JSX.Element {
  const [asks, setAsks] = useState(false);
  const { copy } = now;
  return (
    <div class="sync-ending">
      <div class="dialog-foot">
        <button type="button" disabled={busy} onClick={() => act(switchOff)}>
          {ts.off}
        </button>
        <small>{ts.offNote}</small>
      </div>
      {copy && !asks ? (
        <div class="dialog-foot">
          <button type="button" disabled={busy} onClick={() => setAsks(true)}>
            {ts.undo}
          </button>
          <small>{ts.copy(full(copy.at), size(copy.bytes))}</small>
        </div>
      ) : null}
      {copy && asks ? (
        <div class="sync-ask">
          <p>{ts.undoAsk(full(copy.at))}</p>
          <div class="dialog-actions">
            <button type="button" class="danger" disabled={busy} onClick={() => act(undoFirstSync)}>
              {ts.undoDo}
            </button>
            <button type="button" onClick={() => setAsks(false)}>
              {ts.cancel}
            </button>
          </div>
        </div>
      ) : null}
    </div>
  );
}

function NewToken(): JSX.Element {
  const busy = useStore(sync, (value) => value.busy);
  const [token, setToken] = useState("");
  return (
    <form
      class="from-address"
      onSubmit={(event) => {
        event.preventDefault();
        act(() => changeToken(token));
      }}
    >
      <label for="sync-new-token">{ts.newToken}</label>
      <div class="from-address-row">
        <SecretField id="sync-new-token" placeholder="mt_…" value={token} onValue={setToken} />
        <button type="submit" disabled={busy || !token.trim()}>
          {ts.useToken}
        </button>
      </div>
    </form>
  );
}

function Dry(): JSX.Element | null {
  const preview = useStore(sync, (value) => value.preview);
  if (!preview) return null;
  const stays = Object.entries(preview.stays).map(([why, n]) => ts.stays[why]?.(n) ?? "");
  return (
    <div class="sync-dry" role="status">
      <p>{inARow(willSend(preview), preview.forgotten ? ts.dryForgets(preview.forgotten) : "", ts.dryNote)}</p>
      {stays.length ? (
        <p>
          {ts.dryStays} {listed(stays)}
        </p>
      ) : null}
    </div>
  );
}

function Row({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <span>{children}</span>
      </dd>
    </>
  );
}

function Problem({ text }: { text: string | null }): JSX.Element | null {
  return text ? (
    <p class="kind-problem" role="alert">
      {text}
    </p>
  ) : null;
}

const listed = (parts: readonly string[]): string => new Intl.ListFormat(locale).format(parts);

function said({ problem }: SyncState): string | null {
  if (!problem) return null;
  const { code, why } = problem;
  return ts.problems[why] ?? ts.problems[code] ?? (ts.problems["failed"] as string);
}

function counted(rows: Readonly<Record<string, number>>): string {
  const named = Object.keys(ts.kinds).filter((kind) => kind !== "others" && rows[kind]);
  // A message and its wording are one thing to its author, and the built-in prefixes are none.
  const small = ["message_versions", "namespaces", ...named];
  const others = Object.entries(rows).reduce((sum, [kind, n]) => (small.includes(kind) ? sum : sum + n), 0);
  const parts = named.map((kind) => ts.kinds[kind]?.(rows[kind] as number) ?? "");
  return listed(others ? [...parts, ts.kinds["others"]?.(others) ?? ""] : parts);
}

function willSend({ rows }: SyncPreview): string {
  const what = counted(rows);
  return what ? ts.drySends(what) : ts.dryNothing;
}

function waiting(status: SyncStatus | null): string {
  return (status && counted(status.changes)) || ts.nothingWaits;
}

function whenNext({ nextAt, running, problem }: SyncState): string {
  if (running) return ts.nextNow;
  if (nextAt === null) return problem ? ts.nextNever : ts.nextAfter;
  return nextAt <= Date.now() ? ts.nextNow : moment(nextAt);
}

function clock(status: SyncStatus | null): string {
  const off = status?.clock_offset_ms ?? 0;
  return Math.abs(off) < CLOCK_MS ? ts.clockGood : ts.clockOff(Math.round(Math.abs(off) / 60_000), off > 0);
}
