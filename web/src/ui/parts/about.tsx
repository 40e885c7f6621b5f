/** What is known about the user, as a page to read or print: each thing with a footnote to the words it came from. */

import { Fragment, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { day } from "../i18n";
import { ti } from "../i18n/import";
import { type Group, groupOf, keyInWords } from "../i18n/keys";
import { t } from "../i18n";
import { tp } from "../i18n/pages";
import type { Fact } from "../model";
import { download, fileName } from "../state/files";
import { act, call } from "../state/memory";
import { goToMessage } from "../state/window";
import { state } from "../state/state";
import { Icon } from "./icons";
import { Modal } from "./modal";

const ORDER: readonly Group[] = ["you", "people", "taste", "projects", "notes", "other", "tasks"];

interface Note {
  quote: string | null;
  source: string | null;
  imported: string | null;
  at: number;
}

export function About(): JSX.Element | null {
  const [facts, setFacts] = useState<readonly Fact[] | null>(null);
  useEffect(() => act(async () => setFacts(await call<Fact[]>("list_facts"))), []);
  if (!facts) return null;
  const { notes, numbers } = notesOf(inOrder(facts));
  const { about } = tp;
  return (
    <Modal title={about.title} kind="about-page">
      <div class="about-tools">
        <button type="button" class="primary" onClick={() => print()}>
          {about.print}
        </button>
        <button type="button" onClick={() => download(new Blob([written(facts)]), fileName(about.file, "md"))}>
          {about.markdown}
        </button>
      </div>
      <p class="about-date">{facts.length ? about.asOf(day(Date.now())) : about.none}</p>
      {ORDER.map((group) => {
        const inGroup = inOrder(facts).filter((fact) => groupOf(fact.key) === group);
        if (inGroup.length === 0) return null;
        return (
          <section key={group} class="about-group">
            <h3>{t.groups[group]}</h3>
            <dl>
              {inGroup.map((fact) => (
                <Fragment key={fact.id}>
                  <dt>{keyInWords(fact.key)}</dt>
                  <dd>
                    <span dir="auto">
                      {fact.value}
                      <Mark number={numbers.get(fact.id) as number} />
                    </span>
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        );
      })}
      {notes.length ? (
        <section class="about-notes">
          <h3>{about.notes}</h3>
          <ol>
            {notes.map((note, i) => (
              <li key={i} id={`about-note-${i + 1}`} tabIndex={-1}>
                {note.quote ? (
                  <>
                    <q dir="auto">{note.quote}</q>
                    {about.after}
                  </>
                ) : null}
                {whence(note)}
                {note.source ? (
                  <button type="button" class="quiet" onClick={() => act(() => leaveFor(note.source as string))}>
                    <Icon name="jump" />
                    {about.go}
                  </button>
                ) : null}
                <a href={`#about-mark-${i + 1}`} aria-label={about.back} onClick={follow}>
                  ↑
                </a>
              </li>
            ))}
          </ol>
        </section>
      ) : null}
    </Modal>
  );
}

function Mark({ number }: { number: number }): JSX.Element {
  return (
    <sup>
      <a href={`#about-note-${number}`} id={`about-mark-${number}`} aria-label={tp.about.note(number)} onClick={follow}>
        {number}
      </a>
    </sup>
  );
}

/** Goes there without a trace in the address. */
function follow(event: MouseEvent): void {
  event.preventDefault();
  const target = document.getElementById((event.currentTarget as HTMLAnchorElement).hash.slice(1));
  target?.focus();
  target?.scrollIntoView({ block: "center" });
}

async function leaveFor(message: string): Promise<void> {
  state.set({ dialog: null });
  await goToMessage(message);
}

function inOrder(facts: readonly Fact[]): Fact[] {
  const place = ({ key }: Fact): number => ORDER.indexOf(groupOf(key));
  const named = ({ key }: Fact): number => (key === "user::name" ? 0 : 1);
  return [...facts].sort(
    (a, b) => place(a) - place(b) || named(a) - named(b) || a.key.localeCompare(b.key) || a.created_at - b.created_at,
  );
}

/** In the order in which the text comes to them; what was said in the same words has one note. */
function notesOf(facts: readonly Fact[]): { notes: Note[]; numbers: Map<string, number> } {
  const notes: Note[] = [];
  const known = new Map<string, number>();
  const numbers = new Map<string, number>();
  for (const { id, quote, source_message_id: source, imported_from: imported, created_at: at } of facts) {
    const words = JSON.stringify([quote, source, imported, quote ? "" : day(at)]);
    const number = known.get(words) ?? notes.push({ quote, source, imported, at });
    known.set(words, number);
    numbers.set(id, number);
  }
  return { notes, numbers };
}

/** The same as Markdown, whose footnotes are written [^1]. */
function written(facts: readonly Fact[]): string {
  const { notes, numbers } = notesOf(inOrder(facts));
  const { about } = tp;
  // What was said stands as it was said, whatever its characters mean in Markdown.
  const plain = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#]/g, "\\$&");
  const lines = [`# ${about.title}`, "", about.asOf(day(Date.now()))];
  for (const group of ORDER) {
    const inGroup = inOrder(facts).filter((fact) => groupOf(fact.key) === group);
    if (inGroup.length === 0) continue;
    lines.push("", `## ${t.groups[group]}`, "");
    for (const { id, key, value } of inGroup) lines.push(`- ${keyInWords(key)}: ${plain(value)}[^${numbers.get(id)}]`);
  }
  notes.forEach((note, i) => {
    lines.push("", `[^${i + 1}]: ${note.quote ? `“${plain(note.quote)}”${about.after}` : ""}${whence(note)}`);
  });
  return `${lines.join("\n")}\n`;
}

function whence({ quote, imported, at }: Note): string {
  if (imported === "list") return tp.about.listed(day(at));
  if (imported) return tp.about.imported(ti.formats[imported] ?? imported, day(at));
  return quote ? tp.about.said(day(at)) : `${tp.about.byHand}, ${day(at)}`;
}
