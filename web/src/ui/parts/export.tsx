/** The memory as a file: how much of it, and in which form. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ti } from "../i18n/import";
import { exportFile, type Form } from "../state/files";
import { act } from "../state/memory";
import { shortened, titleOf } from "../state/sessions";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Modal } from "./modal";

const FORMS = ["db", "jsonl", "markdown"] as const;

export function Export(): JSX.Element {
  const session = useStore(state, ({ sessions, current }) => sessions.find(({ id }) => id === current) ?? null);
  const ready = useStore(state, (value) => value.ready && value.busy === null);
  const [one, setOne] = useState(false);
  const [form, setForm] = useState<Form>("db");
  const { out } = ti;
  return (
    <Modal title={out.title}>
      <form
        class="export-form"
        onSubmit={(event) => {
          event.preventDefault();
          act(() => exportFile(form, one ? session : null));
        }}
      >
        {session ? (
          <fieldset class="which">
            <legend>{out.what}</legend>
            <label class="tick">
              <input type="radio" name="export-what" checked={!one} onChange={() => setOne(false)} />
              <span>{out.whole}</span>
            </label>
            <label class="tick">
              <input type="radio" name="export-what" checked={one} onChange={() => setOne(true)} />
              <span dir="auto">{out.one(shortened(titleOf(session)))}</span>
            </label>
          </fieldset>
        ) : null}
        <fieldset class="which">
          <legend>{out.form}</legend>
          {FORMS.map((name) => (
            <label key={name} class="tick">
              <input type="radio" name="export-form" checked={form === name} onChange={() => setForm(name)} />
              <span>
                {out.forms[name]}
                <small>{out.notes[name]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <div class="dialog-foot">
          <button type="submit" class="primary" disabled={!ready}>
            {out.go}
          </button>
          <small>{out.lead}</small>
        </div>
      </form>
    </Modal>
  );
}
