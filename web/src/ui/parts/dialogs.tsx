import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { StateBefore } from "../../host/rpc";
import { counted, full, t } from "../i18n";
import type { Fact, ImportReport, Message } from "../model";
import { goBack, replaceBy } from "../state/files";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Modal, close } from "./modal";
import { Storage } from "./storage";

export function Dialogs(): JSX.Element | null {
  const dialog = useStore(state, (value) => value.dialog);
  if (!dialog) return null;
  if (dialog.kind === "storage") return <Storage />;
  if (dialog.kind === "prompt") return <Inspector message={dialog.message} />;
  if (dialog.kind === "forget") return <Forgetting fact={dialog.fact} />;
  if (dialog.kind === "imported") return <Imported report={dialog.report} />;
  if (dialog.kind === "back") return <Back before={dialog.before} />;
  if (dialog.kind !== "replace") return <Later key={dialog.kind} kind={dialog.kind} />;
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

function Back({ before }: { before: StateBefore }): JSX.Element {
  const { at, messages, facts, newer } = before;
  const { storage } = t;
  const lost = counted({ ...newer });
  return (
    <Modal title={at ? storage.backTitle(full(at)) : storage.backTitleUndated}>
      <p>{storage.backHolds(counted({ messages, facts }) || storage.nothing)}</p>
      <p>{lost ? storage.backLoses(lost) : storage.backLosesNothing}</p>
      <p>{storage.backNote}</p>
      <div class="dialog-actions">
        <button type="button" class="danger" onClick={() => act(() => goBack(before))}>
          {storage.backDo}
        </button>
        <button type="button" onClick={close}>
          {t.facts.cancel}
        </button>
      </div>
    </Modal>
  );
}

const LATER = {
  models: () => import("./models").then(({ Models }) => Models),
  import: () => import("./import-wizard").then(({ ImportWizard }) => ImportWizard),
  export: () => import("./export").then(({ Export }) => Export),
  sync: () => import("./sync").then(({ Sync }) => Sync),
  about: () => import("./about").then(({ About }) => About),
  settings: () => import("./settings").then(({ Settings }) => Settings),
  health: () => import("./health").then(({ Health }) => Health),
  profiles: () => import("./profiles").then(({ Profiles }) => Profiles),
  palette: () => import("./palette").then(({ Palette }) => Palette),
  shortcuts: () => import("./shortcuts").then(({ Shortcuts }) => Shortcuts),
} satisfies Record<string, () => Promise<FunctionComponent>>;

/** Loaded when it is asked for. */
function Later({ kind }: { kind: keyof typeof LATER }): JSX.Element | null {
  const [Part, setPart] = useState<FunctionComponent | null>(null);
  useEffect(() => act(() => LATER[kind]().then((Loaded) => setPart(() => Loaded))), [kind]);
  return Part ? <Part /> : null;
}

function Inspector({ message }: { message: Message }): JSX.Element | null {
  const [Part, setPart] = useState<FunctionComponent<{ message: Message }> | null>(null);
  useEffect(() => void import("./prompt").then(({ PromptInspector }) => setPart(() => PromptInspector)), []);
  return Part ? <Part message={message} /> : null;
}

function Forgetting({ fact }: { fact: Fact }): JSX.Element | null {
  const [Part, setPart] = useState<FunctionComponent<{ fact: Fact }> | null>(null);
  useEffect(() => act(() => import("./forget").then(({ Forget }) => setPart(() => Forget))), []);
  return Part ? <Part fact={fact} /> : null;
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
