/** Two versions of one thing, side by side, and what is to hold. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { full } from "../i18n";
import { keyInWords } from "../i18n/keys";
import { ts } from "../i18n/sync";
import { type Conflict, MAX_TITLE_CHARACTERS, MAX_VALUE_CHARACTERS, type SyncConflict } from "../model";
import { holdsMany } from "../state/facts";
import { act } from "../state/memory";
import { goToMessage } from "../state/window";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { settle, settleDispute, sync } from "../state/sync";
import { Editor } from "./editor";

interface Version {
  label: string;
  value: string;
  at: number | null;
  confidence: number | null;
  quote: string | null;
  source: string | null;
  take: string;
}

interface Pair {
  id: string;
  about: string;
  versions: readonly [Version, Version];
  both: string | null;
  writes: number | null;
  settle(take: string, value?: string): Promise<void>;
}

export function SyncReview(): JSX.Element | null {
  const conflicts = useStore(sync, (value) => value.conflicts);
  const disputes = useStore(sync, (value) => value.disputes);
  const pairs = [...conflicts.map(ofConflict), ...disputes.map(ofDispute)];
  if (pairs.length === 0) return null;
  return (
    <section class="sync-pairs" aria-label={ts.review}>
      <h3>{ts.review}</h3>
      <p class="kind-note">{ts.reviewLead(pairs.length)}</p>
      <ul>
        {pairs.map((pair) => (
          <PairCard key={pair.id} pair={pair} />
        ))}
      </ul>
    </section>
  );
}

function PairCard({ pair }: { pair: Pair }): JSX.Element {
  const [writing, setWriting] = useState(false);
  return (
    <li class="pair" data-conflict={pair.id}>
      <h4>{pair.about}</h4>
      <div class="pair-versions">
        {pair.versions.map((version) => (
          <div key={version.take} class="pair-version">
            <small>{version.label}</small>
            <p class="value" dir="auto">
              {version.value}
            </p>
            {version.quote ? <blockquote dir="auto">{version.quote}</blockquote> : null}
            <small>{details(version)}</small>
            <div class="pair-actions">
              <button type="button" onClick={() => act(() => pair.settle(version.take))}>
                {ts.keepThis}
              </button>
              {version.source ? (
                <button type="button" class="quiet" onClick={() => act(() => show(version.source as string))}>
                  {ts.show}
                </button>
              ) : null}
            </div>
          </div>
        ))}
      </div>
      {writing ? (
        <Editor
          value={pair.versions[0].value}
          label={ts.written}
          limit={pair.writes ?? MAX_VALUE_CHARACTERS}
          onCancel={() => setWriting(false)}
          onSave={(value) => {
            setWriting(false);
            act(() => pair.settle("new", value));
          }}
        />
      ) : (
        <div class="pair-actions">
          {pair.both ? (
            <button type="button" title={pair.both} onClick={() => act(() => pair.settle("both"))}>
              {ts.both}
            </button>
          ) : null}
          {pair.writes ? (
            <button type="button" onClick={() => setWriting(true)}>
              {ts.write}
            </button>
          ) : null}
          {pair.both ? <small>{pair.both}</small> : null}
        </div>
      )}
    </li>
  );
}

function details({ at, confidence }: Version): string {
  return [at === null ? "" : ts.changedAt(full(at)), confidence === null ? "" : ts.sure(Math.round(confidence * 100))]
    .filter(Boolean)
    .join(" · ");
}

async function show(message: string): Promise<void> {
  state.set({ dialog: null });
  await goToMessage(message);
}

function ofConflict({ id, kind, key, changed_at, kept, lost, takes }: SyncConflict): Pair {
  const version = (values: SyncConflict["kept"], label: string, take: string, at: number | null): Version => ({
    label,
    value: inWords(kind, values),
    at,
    confidence: typeof values["confidence"] === "number" ? values["confidence"] : null,
    quote: text(values["quote"]),
    source: text(values["source_message_id"]),
    take,
  });
  const facts = kind === "facts" && key !== null;
  return {
    id,
    about: facts ? keyInWords(key) : (ts.about[kind] ?? kind),
    versions: [version(kept, ts.stands, "kept", null), version(lost, ts.lost, "lost", changed_at)],
    both: takes.includes("both") && facts ? (holdsMany(key) ? ts.bothNote.many : ts.bothNote.history) : null,
    writes: takes.includes("new") ? (facts ? MAX_VALUE_CHARACTERS : MAX_TITLE_CHARACTERS) : null,
    settle: (take, value) => settle(id, take, value),
  };
}

function ofDispute({ fact, other }: Conflict): Pair {
  const version = (of: Conflict["fact"], label: string, take: string): Version => ({
    label,
    value: of.key === fact.key ? of.value : `${keyInWords(of.key)}: ${of.value}`,
    at: of.created_at,
    confidence: of.confidence,
    quote: of.quote,
    source: of.source_message_id,
    take,
  });
  const together = fact.key !== other.key || holdsMany(fact.key);
  return {
    id: fact.id,
    about: keyInWords(fact.key),
    versions: [version(other, ts.stands, "current"), version(fact, ts.earlier, "disputed")],
    both: together ? ts.bothNote.many : null,
    writes: MAX_VALUE_CHARACTERS,
    settle: (take, value) => settleDispute(fact.id, take, value),
  };
}

const text = (value: unknown): string | null => (typeof value === "string" && value ? value : null);

/** What a person said or chose of it. */
function inWords(kind: string, values: SyncConflict["kept"]): string {
  const name = { facts: "value", sessions: "title", messages: "feedback", tool_calls: "status", experiences: "status" }[kind];
  if (name && name in values) return values[name] === null || values[name] === "" ? ts.none : String(values[name]);
  return "pinned" in values ? (values["pinned"] ? "📌" : ts.none) : ts.none;
}
