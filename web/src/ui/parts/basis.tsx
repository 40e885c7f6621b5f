/** Beneath an answer: the memories that it used, each with its source; or why it says what it says. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { day, inARow } from "../i18n";
import { tb } from "../i18n/basis";
import { keyInWords } from "../i18n/keys";
import { tp } from "../i18n/prompt";
import type { Explanation, Message, Reason } from "../model";
import { basis, explain } from "../state/basis";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { goToMessage } from "../state/window";
import { Icon } from "./icons";

export type BasisView = "memories" | "why";

export function Basis({ message, view, onClose }: { message: Message; view: BasisView; onClose(): void }): JSX.Element {
  const [explained, setExplained] = useState<Explanation | null>(null);
  const region = useRef<HTMLElement>(null);
  // What is forgotten meanwhile goes from here too.
  const now = useStore(basis, (all) => all[message.id]);
  const facts = useStore(state, (value) => value.facts);
  useEffect(() => act(async () => setExplained(await explain(message.id, message.session_id))), [message.id, now, facts]);
  useEffect(() => region.current?.scrollIntoView({ block: "nearest" }), [explained !== null, view]);
  const all = explained?.reasons.filter(({ status }) => status !== "forgotten") ?? [];
  const used = all.filter(({ rested }) => rested);
  const named = all.filter(({ rested }) => !rested);
  const title = view === "why" ? tb.whyTitle : tb.title;
  return (
    <section
      class="basis"
      aria-label={title}
      ref={region}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h3>{title}</h3>
        <button type="button" class="icon-button" aria-label={tb.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {explained === null ? <p class="none">{tb.reading}</p> : null}
      {explained && view === "why" ? <p class="basis-by">{writtenBy(explained, used.length)}</p> : null}
      <Memories reasons={used} view={view} />
      {view === "why" && named.length ? (
        <>
          <p class="basis-by">{tb.named}</p>
          <Memories reasons={named} view={view} />
        </>
      ) : null}
      {explained?.model && view === "why" ? (
        <button type="button" class="quiet" onClick={() => state.set({ dialog: { kind: "prompt", message } })}>
          <Icon name="sent" />
          {tb.prompt}
        </button>
      ) : null}
    </section>
  );
}

function writtenBy({ model }: Explanation, used: number): string {
  if (model) return used ? tb.byModel(model) : tb.byModelAlone(model);
  return used ? tb.byAssistant : tb.byAssistantAlone;
}

function Memories({ reasons, view }: { reasons: readonly Reason[]; view: BasisView }): JSX.Element | null {
  if (reasons.length === 0) return null;
  return (
    <ul>
      {reasons.map((reason) => (
        <Memory key={`${reason.kind} ${reason.id}`} reason={reason} why={view === "why"} />
      ))}
    </ul>
  );
}

function Memory({ reason, why }: { reason: Reason; why: boolean }): JSX.Element {
  const { kind, key, value, text, since, said_at: at, confidence, source_id: source, quote, role, status } = reason;
  const id = `basis-${reason.id}`;
  const name = key ? keyInWords(key) : kind === "messages" ? (role === "user" ? tb.yours : tb.mine) : (tb.kinds[kind] ?? kind);
  const when = since != null ? tb.since(day(since)) : at === null ? "" : tb.said(day(at));
  const sure = confidence == null ? "" : tb.sure(Math.round(confidence * 100));
  const past = ["superseded", "archived", "expired"].includes(status) ? tp.superseded : "";
  const code = reason.why.because ?? reason.why.why ?? "";
  return (
    <li class="basis-memory" data-kind={kind}>
      <p id={id} class="basis-what">
        <span class="key">{name}</span>
        <span class="value" dir="auto">
          {value ?? shortened(text)}
        </span>
      </p>
      {why ? <p class="basis-why">{inARow(tp.why[code] ?? code, past)}</p> : null}
      <p class="basis-source">
        <small>{[when, sure].filter(Boolean).join(" · ")}</small>
        {source ? (
          <button
            type="button"
            class="quiet"
            aria-describedby={id}
            onClick={() => act(() => goToMessage(source, quote ?? undefined))}
          >
            <Icon name="jump" />
            {tb.where}
          </button>
        ) : null}
      </p>
    </li>
  );
}

const EXCERPT = 240;

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line;
}
