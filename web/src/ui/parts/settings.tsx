/** Everything that can be set, and the ways to what has a page of its own. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { applyLook, keepLook, keptLook, type Look, onLookElsewhere, TEXT_SIZES, THEMES } from "../../look";
import { profile } from "../../profiles/current";
import { inARow, labelled, language, t } from "../i18n";
import { keyInWords } from "../i18n/keys";
import { ts } from "../i18n/settings";
import { exportFile } from "../state/files";
import { act, toast } from "../state/memory";
import { models } from "../state/model-choice";
import { readAlong } from "../state/models";
import { nameOf, profiles } from "../state/profile";
import { allowKind, refusedKinds } from "../state/settings";
import { type Dialog, state } from "../state/state";
import { useStore } from "../state/store";
import { Modal } from "./modal";

declare const __BUILD__: { readonly version: string };

const { settings } = ts;

type Page = Extract<Dialog["kind"], "models" | "storage" | "export" | "about" | "shortcuts" | "profiles" | "health">;
const open = (kind: Page) => (): void => state.set({ dialog: { kind } as Dialog });

export function Settings(): JSX.Element {
  const ready = useStore(state, (value) => value.ready);
  return (
    <Modal title={settings.title} kind="settings">
      <LookSection />
      <Section title={settings.answers}>
        <Model />
      </Section>
      <Section title={settings.memory}>
        <Row name={settings.about} note={settings.aboutNote}>
          <button type="button" disabled={!ready} onClick={open("about")}>
            {settings.read}
          </button>
        </Row>
        <Reading ready={ready} />
        <Refused ready={ready} />
      </Section>
      <Section title={settings.data}>
        <ProfileRow />
        <Row name={settings.storage} note={settings.storageNote}>
          <button type="button" onClick={open("storage")}>
            {settings.open}
          </button>
          <button type="button" disabled={!ready} onClick={() => act(exportFile)}>
            {t.storage.exportNow}
          </button>
        </Row>
        <Row name={settings.health} note={settings.healthNote}>
          <button type="button" disabled={!ready} onClick={open("health")}>
            {settings.check}
          </button>
        </Row>
      </Section>
      <Section title={settings.more}>
        <Row name={settings.shortcuts} note={settings.shortcutsNote}>
          <button type="button" onClick={open("shortcuts")}>
            {settings.show}
          </button>
        </Row>
        <Row name={settings.version} note={settings.versionNote(__BUILD__.version)}>
          <a href="licenses.txt" target="_blank" rel="noopener">
            {settings.licences}
          </a>
        </Row>
      </Section>
    </Modal>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const id = useId();
  return (
    <section class="settings-section" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/** What it is, what it does, and what it is set to. Its buttons say with it what they open. */
function Row({ name, note, children }: { name: string; note: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <div class="setting" role="group" aria-label={name}>
      <div class="setting-text">
        <p class="setting-name">{name}</p>
        <p class="setting-note">{note}</p>
      </div>
      <div class="setting-control">{children}</div>
    </div>
  );
}

function LookSection(): JSX.Element {
  const [look, setLook] = useState(keptLook);
  useEffect(() => onLookElsewhere(() => setLook(keptLook())), []);
  const change = (changes: Partial<Look>): void => {
    const next = { ...look, ...changes };
    setLook(next);
    applyLook(next);
    if (!keepLook(changes)) toast({ text: settings.notKept });
  };
  return (
    <Section title={settings.look}>
      <Choice
        name={settings.language}
        note={settings.languageNote}
        choices={{ auto: settings.languages.auto, en: settings.languages.en, zh: settings.languages.zh }}
        chosen={new URLSearchParams(location.search).has("lang") ? language : (look.language ?? "auto")}
        onChange={(chosen) => {
          change({ language: chosen === "auto" ? null : chosen });
          speak();
        }}
      />
      <Choice
        name={settings.theme}
        note={settings.themeNote}
        choices={inOrder(THEMES, settings.themes)}
        chosen={look.theme}
        onChange={(theme) => change({ theme })}
      />
      <Choice
        name={settings.text}
        note={settings.textNote}
        choices={inOrder(TEXT_SIZES, settings.texts)}
        chosen={look.text}
        onChange={(text) => change({ text })}
      />
    </Section>
  );
}

const inOrder = <T extends string>(all: readonly T[], words: Readonly<Record<T, string>>): Record<T, string> =>
  Object.fromEntries(all.map((one) => [one, words[one]])) as Record<T, string>;

/** The page is loaded anew in the language; what is being written is kept. */
function speak(): void {
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  if (address.href === location.href) location.reload();
  else location.replace(address);
}

interface ChoiceProps<T extends string> {
  name: string;
  note: string;
  choices: Readonly<Record<T, string>>;
  chosen: T;
  onChange(chosen: T): void;
}

function Choice<T extends string>({ name, note, choices, chosen, onChange }: ChoiceProps<T>): JSX.Element {
  const id = useId();
  return (
    <fieldset class="setting">
      <legend class="sr">{name}</legend>
      <div class="setting-text">
        <p class="setting-name" aria-hidden="true">
          {name}
        </p>
        <p class="setting-note">{note}</p>
      </div>
      <div class="segments">
        {(Object.keys(choices) as T[]).map((one) => (
          <label key={one}>
            <input type="radio" name={id} value={one} checked={one === chosen} onChange={() => onChange(one)} />
            <span>{choices[one]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Model(): JSX.Element {
  const choice = useStore(models, (value) => value.settings.choice);
  const name = choice.kind === "server" ? choice.model || choice.address : t.models[choice.kind];
  return (
    <Row name={labelled(settings.model, name)} note={settings.modelNote}>
      <button type="button" onClick={open("models")}>
        {settings.choose}
      </button>
    </Row>
  );
}

function Reading({ ready }: { ready: boolean }): JSX.Element {
  const reads = useStore(models, (value) => value.settings.reads === true);
  const offline = useStore(models, (value) => value.settings.choice.kind === "offline");
  return (
    <Row name={settings.reading} note={inARow(settings.readingNote, offline ? settings.readingLater : "")}>
      <input
        type="checkbox"
        role="switch"
        class="switch"
        aria-label={settings.reading}
        checked={reads}
        disabled={!ready}
        onChange={({ currentTarget }) => act(() => readAlong(currentTarget.checked))}
      />
    </Row>
  );
}

/** Kinds that the user did not want to be asked about. */
function Refused({ ready }: { ready: boolean }): JSX.Element {
  const [kinds, setKinds] = useState<readonly string[]>([]);
  const read = async (): Promise<void> => setKinds(await refusedKinds());
  useEffect(() => {
    if (ready) act(read);
  }, [ready]);
  return (
    <Row name={settings.refused} note={kinds.length ? settings.refusedNote : settings.refusedNone}>
      {kinds.length ? (
        <ul class="refused-kinds">
          {kinds.map((key) => (
            <li key={key}>
              <span id={`refused-${key}`}>{keyInWords(key)}</span>
              <button
                type="button"
                aria-describedby={`refused-${key}`}
                onClick={() => act(() => allowKind(key, read))}
              >
                {settings.allow}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </Row>
  );
}

function ProfileRow(): JSX.Element {
  const name = useStore(profiles, ({ list }) => nameOf(list?.find(({ id }) => id === profile.id) ?? profile));
  return (
    <Row name={t.sessions.profile(name)} note={settings.profileNote}>
      <button type="button" onClick={open("profiles")}>
        {settings.profiles}
      </button>
    </Row>
  );
}
