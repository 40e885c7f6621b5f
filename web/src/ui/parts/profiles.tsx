/** The profiles of this browser: opening, making, renaming and deleting them. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { FIRST, profile } from "../../profiles/current";
import { asRead } from "../../profiles/names";
import type { Profile } from "../../profiles/registry";
import { ts } from "../i18n/settings";
import { t } from "../i18n";
import { act } from "../state/memory";
import { nameOf, profiles, refreshProfiles } from "../state/profile";
import { add, areKept, change, exportProfile, MAX_NAME_CHARACTERS, problemWith, remove, rename } from "../state/profiles";
import { useStore } from "../state/store";
import { Editor } from "./editor";
import { IconButton } from "./icon-button";
import { Modal } from "./modal";

const texts = ts.profiles;

export function Profiles(): JSX.Element {
  const list = useStore(profiles, (value) => value.list);
  const [going, setGoing] = useState<Profile | null>(null);
  useEffect(() => act(refreshProfiles), []);
  if (going) return <Delete key={going.id} one={going} onBack={() => setGoing(null)} />;
  return (
    <Modal title={texts.title} kind="profiles">
      <p>{texts.lead}</p>
      <ul class="profile-list">{list?.map((one) => <Entry key={one.id} one={one} onDelete={() => setGoing(one)} />)}</ul>
      {areKept() ? <New /> : <p class="none">{texts.notKept}</p>}
    </Modal>
  );
}

function Entry({ one, onDelete }: { one: Profile; onDelete(): void }): JSX.Element {
  const [editing, setEditing] = useState(false);
  const here = one.id === profile.id;
  const id = `profile-${one.id || "first"}`;
  if (editing) {
    return (
      <li>
        <Editor
          value={nameOf(one)}
          label={texts.nameOf}
          limit={MAX_NAME_CHARACTERS}
          onCancel={() => setEditing(false)}
          onSave={(name) => {
            setEditing(false);
            if (!problemWith(name, one.id)) act(() => rename(one.id, name));
          }}
        />
      </li>
    );
  }
  return (
    <li class={here ? "profile here" : "profile"} aria-current={here ? "true" : undefined}>
      <span class="profile-name" id={id} dir="auto">
        {nameOf(one)}
      </span>
      {here ? (
        <small class="profile-here">{texts.here}</small>
      ) : (
        <button type="button" aria-label={texts.changeTo(nameOf(one))} onClick={() => act(() => change(one))}>
          {texts.change}
        </button>
      )}
      <IconButton icon="pencil" label={texts.rename} about={id} onClick={() => setEditing(true)} />
      <IconButton icon="bin" label={texts.delete} about={id} onClick={onDelete} />
    </li>
  );
}

function New(): JSX.Element {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <form
      class="profile-form"
      onSubmit={(event) => {
        event.preventDefault();
        const found = problemWith(name);
        setProblem(found);
        if (!found) act(() => add(name));
      }}
    >
      <label for="new-profile">{texts.new}</label>
      <div class="profile-row">
        <input
          id="new-profile"
          type="text"
          dir="auto"
          autocomplete="off"
          maxLength={MAX_NAME_CHARACTERS}
          placeholder={texts.placeholder}
          aria-describedby="new-profile-problem"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit">{texts.create}</button>
      </div>
      <p id="new-profile-problem" class="profile-problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

/** Not before its name has been typed, and with a copy if one is wanted. */
function Delete({ one, onBack }: { one: Profile; onBack(): void }): JSX.Element {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState<"export" | "delete" | null>(null);
  const name = nameOf(one);
  const isTyped = asRead(typed) === asRead(name);
  const run = (what: "export" | "delete", work: () => Promise<void>): void => {
    setBusy(what);
    act(() => work().finally(() => setBusy(null)));
  };
  return (
    <Modal title={texts.deleteTitle(name)} kind="profiles">
      <p>{texts.deleteLead}</p>
      {one.id === FIRST ? <p>{texts.deleteFirst}</p> : null}
      <p class="setting-note">{texts.deleteBeyond}</p>
      <div class="dialog-actions">
        <button type="button" disabled={busy !== null} onClick={() => run("export", () => exportProfile(one))}>
          {busy === "export" ? texts.exporting : texts.exportFirst}
        </button>
      </div>
      <form
        class="profile-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped) run("delete", () => remove(one).then(onBack));
        }}
      >
        <label for="profile-typed">{texts.typeName(name)}</label>
        <input
          id="profile-typed"
          type="text"
          dir="auto"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <div class="dialog-actions">
          <button type="submit" class="danger" disabled={busy !== null || !isTyped}>
            {busy === "delete" ? texts.deleting : texts.deleteDo}
          </button>
          <button type="button" disabled={busy === "delete"} onClick={onBack}>
            {t.facts.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}
