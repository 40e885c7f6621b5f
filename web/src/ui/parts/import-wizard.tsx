/** Bringing conversations along: from a file, by a look into it, to what has come of it. */

import { type ComponentChildren, Fragment, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { size, t } from "../i18n";
import { ti } from "../i18n/import";
import { addOwn, again, cancel, fileNames, importing, leave, look, type Step } from "../state/importing";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";
import { ImportPreview } from "./import-preview";
import { ImportReport } from "./import-report";
import { close, Modal } from "./modal";

const TITLES: Readonly<Record<Step, string>> = {
  choose: ti.title,
  reading: ti.title,
  preview: ti.preview,
  own: ti.preview,
  adding: ti.adding,
  report: ti.done,
  undone: ti.undone,
  problem: ti.problem,
};

export function ImportWizard(): JSX.Element {
  const step = useStore(importing, (value) => value.step);
  const stopped = useStore(importing, (value) => value.step === "report" && value.report?.cancelled === true);
  const dropped = useStore(state, ({ dialog }) => (dialog?.kind === "import" ? dialog.files : undefined));
  useEffect(() => {
    if (dropped) act(() => look(dropped));
  }, [dropped]);
  useEffect(() => leave, []);
  return (
    <Modal title={stopped ? ti.stopped : TITLES[step]}>
      <StepBody key={step}>
        {step === "choose" ? <Choose /> : null}
        {step === "reading" ? <Reading /> : null}
        {step === "preview" ? <ImportPreview /> : null}
        {step === "own" ? <Own /> : null}
        {step === "adding" ? <Adding /> : null}
        {step === "report" || step === "undone" ? <ImportReport /> : null}
        {step === "problem" ? <Trouble /> : null}
      </StepBody>
    </Modal>
  );
}

/** The button that led here is gone; whoever uses the keyboard goes on from the beginning of the step. */
function StepBody({ children }: { children: ComponentChildren }): JSX.Element {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => body.current?.focus(), []);
  return (
    <div class="import-step" ref={body} tabIndex={-1} role="group" aria-labelledby="dialog-title">
      {children}
    </div>
  );
}

function Choose(): JSX.Element {
  const [over, setOver] = useState(false);
  const sources = Object.keys(ti.sources) as Array<keyof typeof ti.sources>;
  return (
    <>
      <p>{ti.lead}</p>
      <div
        class={over ? "drop-here over" : "drop-here"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          act(() => look([...(event.dataTransfer?.files ?? [])]));
        }}
      >
        <Icon name="import" />
        <p>
          {ti.drop} <span class="drop-or">{ti.or}</span>
        </p>
        <ChooseFiles />
      </div>
      <details class="import-more">
        <summary>{ti.where}</summary>
        <dl>
          {sources.map((source) => (
            <Fragment key={source}>
              <dt>{ti.sourceNames[source]}</dt>
              <dd>{ti.sources[source]}</dd>
            </Fragment>
          ))}
        </dl>
      </details>
      <Paste />
    </>
  );
}

function ChooseFiles(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="primary" onClick={() => field.current?.click()}>
        {ti.choose}
      </button>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        data-testid="import-file"
        aria-label={ti.choose}
        onChange={({ currentTarget }) => act(() => look([...(currentTarget.files ?? [])]))}
      />
    </>
  );
}

function Paste(): JSX.Element {
  const [text, setText] = useState("");
  return (
    <details class="import-more">
      <summary>{ti.paste}</summary>
      <form
        class="paste-form"
        onSubmit={(event) => {
          event.preventDefault();
          act(() => look([new File([text], ti.pasted, { type: "text/plain" })]));
        }}
      >
        <textarea
          rows={5}
          dir="auto"
          aria-label={ti.pasteLabel}
          placeholder={ti.pasteLabel}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" disabled={!text.trim()}>
          {ti.pasteDo}
        </button>
      </form>
    </details>
  );
}

function Reading(): JSX.Element {
  const progress = useStore(importing, (value) => value.progress);
  const name = useStore(importing, fileNames);
  return (
    <>
      <p role="status">{ti.reading}</p>
      <p class="import-note" dir="auto">
        {name}
      </p>
      <progress aria-label={ti.reading} {...(progress?.total ? { value: progress.bytes, max: progress.total } : {})} />
      <p class="import-note">
        {progress?.total ? ti.readSoFar(size(progress.bytes), size(progress.total)) : "\u00a0"}
      </p>
      <div class="dialog-actions">
        <button type="button" onClick={cancel}>
          {ti.cancel}
        </button>
      </div>
    </>
  );
}

function Own(): JSX.Element {
  const name = useStore(importing, fileNames);
  const bytes = useStore(importing, ({ files }) => files[0]?.size ?? 0);
  return (
    <>
      <p dir="auto">
        <strong>{name}</strong> ({size(bytes)})
      </p>
      <p>{ti.ownLead}</p>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={() => act(addOwn)}>
          {ti.ownBegin}
        </button>
        <button type="button" onClick={again}>
          {ti.chooseOther}
        </button>
      </div>
    </>
  );
}

function Adding(): JSX.Element {
  const progress = useStore(importing, (value) => value.progress);
  return (
    <>
      <progress aria-label={ti.adding} {...(progress?.total ? { value: progress.bytes, max: progress.total } : {})} />
      <p data-testid="import-progress">{ti.addedSoFar(progress?.conversations ?? 0, progress?.messages ?? 0)}</p>
      <p class="import-note">{ti.addingNote}</p>
      <div class="dialog-actions">
        <button type="button" onClick={cancel}>
          {ti.cancel}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {ti.close}
        </button>
      </div>
    </>
  );
}

function Trouble(): JSX.Element {
  const problem = useStore(importing, (value) => value.problem);
  const name = useStore(importing, fileNames);
  return (
    <>
      <p class="import-note" dir="auto">
        {name}
      </p>
      <p class="import-problem" role="alert">
        {problem}
      </p>
      <p>{ti.unchanged}</p>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={again}>
          {ti.chooseOther}
        </button>
        <button type="button" onClick={close}>
          {t.panel.close}
        </button>
      </div>
    </>
  );
}

