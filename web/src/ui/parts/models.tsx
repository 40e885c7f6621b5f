/** Who answers, and what that takes. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Choice } from "../../models/settings";
import { type Availability, availability } from "../../models/prompt-api";
import { inARow, size } from "../i18n";
import { tm } from "../i18n/models";
import { act } from "../state/memory";
import { models } from "../state/model-choice";
import {
  cancel,
  chooseOffline,
  dropFile,
  fetchFile,
  leave,
  pickFile,
  readAlong,
  useBrowser,
  useFile,
} from "../state/models";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { AddressField } from "./fields";
import { ModelServer } from "./model-server";
import { Modal } from "./modal";

export function Models(): JSX.Element {
  const chosen = useStore(models, (value) => value.settings.choice.kind);
  const ready = useStore(state, (value) => value.ready);
  // A server is what most people come for; it stands open until something else has been chosen.
  const [first] = useState(chosen === "offline" ? "server" : chosen);
  useEffect(() => () => act(leave), []);
  return (
    <Modal title={tm.title}>
      <p>{tm.lead}</p>
      <div class="kinds">
        <Kind kind="offline" name={tm.offline.name} note={tm.offline.note} open={false}>
          {chosen === "offline" ? null : (
            <button type="button" disabled={!ready} onClick={() => act(chooseOffline)}>
              {tm.use}
            </button>
          )}
        </Kind>
        <Kind kind="server" name={tm.server.name} note={tm.server.note} open={first === "server"}>
          <ModelServer ready={ready} />
        </Kind>
        <Kind kind="device" name={tm.device.name} note={tm.device.note} open={first === "device"}>
          <Device ready={ready} />
        </Kind>
        <Kind kind="browser" name={tm.browser.name} note={tm.browser.note} open={first === "browser"}>
          <Browser ready={ready} />
        </Kind>
      </div>
      <ReadAlong ready={ready} />
    </Modal>
  );
}

interface KindProps {
  kind: Choice["kind"];
  name: string;
  note: string;
  open: boolean;
  children: ComponentChildren;
}

function Kind({ kind, name, note, open, children }: KindProps): JSX.Element {
  const chosen = useStore(models, (value) => value.settings.choice.kind === kind);
  const problem = useStore(models, (value) => (value.problem?.kind === kind ? value.problem.text : null));
  return (
    <details class={chosen ? "kind chosen" : "kind"} name="who-answers" open={open} data-kind={kind}>
      <summary>
        <span class="kind-mark" aria-hidden="true" />
        <span class="kind-name">{name}</span>
        {chosen ? <span class="kind-now">{tm.answers}</span> : null}
      </summary>
      <div class="kind-body">
        <p class="kind-note">{note}</p>
        {children}
        <Going kind={kind} />
        {problem ? (
          <p class="kind-problem" role="alert">
            {problem}
          </p>
        ) : null}
      </div>
    </details>
  );
}

/** What goes on, how far it is, and a way out. */
function Going({ kind }: { kind: Choice["kind"] }): JSX.Element | null {
  const progress = useStore(models, (value) => (value.progress?.kind === kind ? value.progress : null));
  if (!progress || progress.step === "connecting") return null;
  const { step, done, total } = progress;
  const measured = done !== undefined && total !== undefined;
  const text =
    step === "copying"
      ? tm.device.copying(size(done ?? 0), size(total ?? 0))
      : step === "downloading"
        ? tm.device.downloading(size(done ?? 0), total === undefined ? null : size(total))
      : step === "fetching"
        ? tm.browser.fetching(Math.round((done ?? 0) * 100))
        : tm.device.loading;
  return (
    <div class="going">
      <p role="status">{text}</p>
      <progress aria-label={text} {...(measured ? { value: done, max: total } : {})} />
      <button type="button" onClick={cancel}>
        {tm.cancel}
      </button>
    </div>
  );
}

function Device({ ready }: { ready: boolean }): JSX.Element {
  const file = useStore(models, (value) => value.settings.file);
  const chosen = useStore(models, (value) => value.settings.choice.kind === "device");
  const busy = useStore(models, (value) => value.progress !== null);
  const field = useRef<HTMLInputElement>(null);
  const { device } = tm;
  return (
    <>
      {file ? <p>{device.kept(file.name, size(file.size))}</p> : null}
      {chosen ? <Where /> : null}
      {busy ? null : (
        <div class="dialog-actions">
          {file && !chosen ? (
            <button type="button" class="primary" disabled={!ready} onClick={() => act(useFile)}>
              {tm.use}
            </button>
          ) : null}
          <button type="button" class={file ? "" : "primary"} disabled={!ready} onClick={() => field.current?.click()}>
            {file ? device.another : device.pick}
          </button>
          {file ? (
            <button type="button" disabled={!ready} onClick={() => act(dropFile)}>
              {device.drop}
            </button>
          ) : null}
        </div>
      )}
      {busy ? null : <FromAddress ready={ready} />}
      <input
        ref={field}
        type="file"
        hidden
        data-testid="model-file"
        aria-label={device.pick}
        accept=".gguf"
        onChange={({ currentTarget }) => {
          const picked = currentTarget.files?.[0];
          if (picked) act(() => pickFile(picked));
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** A file that is fetched: asking another server is the user's own act, and nothing else is sent. */
function FromAddress({ ready }: { ready: boolean }): JSX.Element {
  const [address, setAddress] = useState("");
  const { device } = tm;
  return (
    <form
      class="from-address"
      onSubmit={(event) => {
        event.preventDefault();
        act(() => fetchFile(address));
      }}
    >
      <label for="model-file-address">{device.orFetch}</label>
      <div class="from-address-row">
        <AddressField id="model-file-address" placeholder="https://…/model.gguf" value={address} onValue={setAddress} />
        <button type="submit" disabled={!ready || !address.trim()}>
          {device.fetch}
        </button>
      </div>
    </form>
  );
}

/** Off until the user wants it: the model looks through what was said when nothing else is to be done. */
function ReadAlong({ ready }: { ready: boolean }): JSX.Element {
  const reads = useStore(models, (value) => value.settings.reads === true);
  const offline = useStore(models, (value) => value.settings.choice.kind === "offline");
  const busy = useStore(models, (value) => value.progress !== null);
  const { reading } = tm;
  return (
    <div class="read-along">
      <label>
        <input
          type="checkbox"
          role="switch"
          class="switch"
          aria-describedby="read-along-note"
          checked={reads}
          disabled={!ready || busy}
          onChange={({ currentTarget }) => act(() => readAlong(currentTarget.checked))}
        />
        {reading.name}
      </label>
      <p class="kind-note" id="read-along-note">
        {inARow(reading.note, offline ? reading.later : "")}
      </p>
    </div>
  );
}

function Browser({ ready }: { ready: boolean }): JSX.Element {
  const chosen = useStore(models, (value) => value.settings.choice.kind === "browser");
  const busy = useStore(models, (value) => value.progress !== null);
  const [has, setHas] = useState<Availability | "absent" | null>(null);
  useEffect(() => void availability().then(setHas), []);
  const { browser } = tm;
  if (has === null) return <p />;
  if (has === "absent" || has === "unavailable") return <p>{browser[has]}</p>;
  const here = has === "available";
  return (
    <>
      {here ? null : <p>{browser.fetchNote}</p>}
      {chosen ? <Where /> : null}
      {chosen || busy ? null : (
        <div class="dialog-actions">
          <button type="button" class="primary" disabled={!ready} onClick={() => act(useBrowser)}>
            {here ? tm.use : browser.fetch}
          </button>
        </div>
      )}
    </>
  );
}

/** Which tab runs the model. */
function Where(): JSX.Element {
  const here = useStore(models, (value) => value.here);
  const title = useStore(models, (value) => value.server?.title);
  const { tabs } = tm;
  return <p data-testid="serving">{here ? tabs.here : title === undefined ? tabs.nowhere : tabs.elsewhere(title)}</p>;
}
