/** What is in a file, and which of it is to come in. */

import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { aside, day, size } from "../i18n";
import { ti } from "../i18n/import";
import type { ChatPreview } from "../model";
import { again, begin, fileNames, importing } from "../state/importing";
import { act } from "../state/memory";
import { useStore } from "../state/store";
import { Icon } from "./icons";

const PAGE = 100;

export function ImportPreview(): JSX.Element {
  const preview = useStore(importing, (value) => value.preview) as ChatPreview;
  const only = useStore(importing, (value) => value.only);
  const memories = useStore(importing, (value) => value.memories);
  const name = useStore(importing, fileNames);
  const bytes = useStore(importing, ({ files }) => files.reduce((sum, file) => sum + file.size, 0));
  const { conversations, first, last } = preview;
  const chosen = only ? only.size : conversations;
  return (
    <>
      <dl>
        <Row name={ti.rows.from}>
          <span dir="auto">
            <strong>{productsOf(preview)}</strong>
            <small>
              {name}
              {aside(size(bytes))}
            </small>
          </span>
        </Row>
        {conversations ? (
          <Row name={ti.rows.chats}>
            <span>
              {ti.chatsAnd(conversations, preview.messages)}
              {first !== null && last !== null ? <small>{ti.period(day(first), day(last))}</small> : null}
            </span>
          </Row>
        ) : null}
        {preview.memories ? <Row name={ti.rows.memories}>{<Samples preview={preview} />}</Row> : null}
        <Row name={ti.rows.left}>
          <Left preview={preview} />
        </Row>
      </dl>
      {conversations > 1 ? <Which preview={preview} /> : null}
      {preview.memories && conversations ? (
        <div class="tick-memories">
          <label class="tick">
            <input
              type="checkbox"
              checked={memories}
              aria-describedby="suggestions-note"
              onChange={({ currentTarget }) => importing.set({ memories: currentTarget.checked })}
            />
            <span>{ti.asSuggestions(preview.memories)}</span>
          </label>
          <p class="import-note" id="suggestions-note">
            {ti.suggestionsNote}
          </p>
        </div>
      ) : preview.memories ? (
        <p class="import-note">{ti.suggestionsNote}</p>
      ) : null}
      <div class="dialog-actions import-actions">
        <button type="button" class="primary" disabled={conversations > 0 && chosen === 0} onClick={() => act(begin)}>
          {conversations ? ti.begin(chosen) : ti.beginMemories(preview.memories)}
        </button>
        <button type="button" onClick={again}>
          {ti.chooseOther}
        </button>
      </div>
    </>
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

function productsOf({ formats }: ChatPreview): string {
  return [...new Set(Object.keys(formats).map((format) => ti.formats[format] ?? format))].join(", ");
}

function Samples({ preview: { memories, samples } }: { preview: ChatPreview }): JSX.Element {
  return (
    <span>
      {ti.memories(memories)}
      <ul class="samples">
        {samples.slice(0, 3).map((sample) => (
          <li key={sample} dir="auto">
            {sample}
          </li>
        ))}
        {memories > 3 ? <li aria-hidden="true">…</li> : null}
      </ul>
    </span>
  );
}

function Left({ preview: { skipped, ignored } }: { preview: ChatPreview }): JSX.Element {
  const lines = Object.entries(skipped).map(([why, n]) => ti.leftOut(n, ti.why[why] ?? why));
  if (ignored.length) lines.push(ti.otherFiles(ignored.length));
  return (
    <span>
      {lines.length === 0 ? ti.nothingLeft : lines.map((line) => <small key={line}>{line}</small>)}
    </span>
  );
}

/** All of them, or those that are ticked. */
function Which({ preview }: { preview: ChatPreview }): JSX.Element {
  const some = useStore(importing, (value) => value.only !== null);
  const all = (): void => importing.set({ only: null });
  const none = (): void => importing.set({ only: new Set() });
  return (
    <fieldset class="which">
      <legend>{ti.which}</legend>
      <label class="tick">
        <input type="radio" name="which" checked={!some} onChange={all} />
        <span>{ti.all(preview.conversations)}</span>
      </label>
      <label class="tick">
        <input type="radio" name="which" checked={some} onChange={none} />
        <span>{ti.some}</span>
      </label>
      {some ? <Pick preview={preview} /> : null}
    </fieldset>
  );
}

function Pick({ preview }: { preview: ChatPreview }): JSX.Element {
  const only = useStore(importing, (value) => value.only) ?? new Set<string>();
  const [query, setQuery] = useState("");
  const [shown, setShown] = useState(PAGE);
  const found = useMemo(() => {
    const words = query.trim().toLowerCase();
    return preview.chats.filter(({ title }) => !words || (title ?? "").toLowerCase().includes(words));
  }, [preview, query]);
  const tick = (ids: readonly string[], on: boolean): void => {
    const now = new Set(only);
    for (const id of ids) if (on) now.add(id);
      else now.delete(id);
    importing.set({ only: now });
  };
  return (
    <div class="pick">
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          dir="auto"
          aria-label={ti.search}
          placeholder={ti.search}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
            setShown(PAGE);
          }}
        />
      </div>
      <div class="pick-tools">
        <p aria-live="polite">{found.length ? ti.ticked(only.size, preview.conversations) : ti.nothingFound}</p>
        <button type="button" class="quiet" disabled={found.length === 0} onClick={() => tick(found.map(({ id }) => id), true)}>
          {ti.tickFound(found.length)}
        </button>
        <button type="button" class="quiet" disabled={only.size === 0} onClick={() => importing.set({ only: new Set() })}>
          {ti.untick}
        </button>
      </div>
      {found.length ? (
        <ul class="pick-list" tabIndex={-1}>
          {found.slice(0, shown).map(({ id, title, messages, last }, i) => (
            <li key={`${id} ${i}`}>
              <label class="tick">
                <input type="checkbox" checked={only.has(id)} onChange={({ currentTarget }) => tick([id], currentTarget.checked)} />
                <span class="pick-title" dir="auto">
                  {title || ti.untitled}
                </span>
                <small>
                  {ti.messages(messages)}
                  {last === null ? "" : ` · ${day(last)}`}
                </small>
              </label>
            </li>
          ))}
          {found.length > shown ? (
            <li>
              <button type="button" class="quiet" onClick={() => setShown(shown + PAGE)}>
                {ti.more(Math.min(PAGE, found.length - shown))}
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
      {preview.more ? <p class="import-note">{ti.notListed(preview.more)}</p> : null}
    </div>
  );
}
