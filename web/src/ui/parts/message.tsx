import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { full, moment, sentence, size, t } from "../i18n";
import type { Fact, Message, Outgoing } from "../model";
import { answerAgain, sendAgain, takeBack } from "../state/chat";
import { focusNext, takeFocus } from "../state/focus";
import { state, streams } from "../state/state";
import { useStore } from "../state/store";
import { BasisLater, ToolLine, UsedChip } from "./answer-foot";
import type { BasisView } from "./basis";
import { Kept, Proposals } from "./cards";
import { Decide } from "./decide";
import { Icon, Mark } from "./icons";
import { Markdown } from "./markdown";
import { memo } from "./memo";
import { MessageEditor } from "./message-editor";
import { Pending } from "./pending";
import { Said } from "./said";
import { Branches, TurnActions } from "./turn-actions";

/** A text longer than this is shown from its beginning, until all of it is asked for. */
const SHOWN_CHARACTERS = 12_000;
const SHOWN_LINES = 160;

interface TurnProps {
  message: Message;
  kept: readonly Fact[];
  proposals: readonly Fact[];
  /** Marks the message that was gone to; another number each time. */
  target: number;
  /** The words in it that were gone to. */
  words: string | undefined;
  /** It answers the message before it. */
  answers: boolean;
}

export const Turn = memo(({ message, kept, proposals, target, words, answers }: TurnProps) => {
  const mine = message.role === "user";
  const [editing, setEditing] = useState(false);
  const [basis, setBasis] = useState<BasisView | null>(null);
  const toggle = (view: BasisView): void => setBasis(basis === view ? null : view);
  const article = useRef<HTMLElement>(null);
  useEffect(() => takeFocus(message.id, article.current as HTMLElement), [message.id]);
  const closeEditor = (): void => {
    setEditing(false);
    focusNext(message.id);
    takeFocus(message.id, article.current as HTMLElement);
  };
  return (
    <div class="turn" data-role={message.role}>
      <article
        key={target}
        ref={article}
        class={target ? "message target" : "message"}
        data-role={message.role}
        data-id={message.id}
        data-status={message.status}
        tabIndex={-1}
      >
        <h2 class="sr">{mine ? t.chat.you : t.chat.memory}</h2>
        {mine && editing ? (
          <MessageEditor message={message} onClose={closeEditor} />
        ) : mine ? (
          <UserText message={message} kept={kept} proposals={proposals} words={words} />
        ) : (
          <Answer message={message} answers={answers} words={words} />
        )}
        {editing ? null : (
          <footer>
            <time dateTime={new Date(message.created_at).toISOString()} title={full(message.created_at)}>
              {moment(message.created_at)}
            </time>
            <Branches message={message} />
            {mine || message.status === "streaming" ? null : (
              <UsedChip message={message} open={basis === "memories"} onOpen={() => toggle("memories")} />
            )}
            {message.edited ? <span>{t.chat.edited}</span> : null}
            {message.status === "stopped" ? <span>{t.chat.stopped}</span> : null}
            {message.status === "streaming" ? null : (
              <TurnActions message={message} answers={answers} onEdit={() => setEditing(true)} onWhy={() => toggle("why")} />
            )}
          </footer>
        )}
        {mine ? null : <ToolLine message={message} />}
        {basis ? (
          <BasisLater
            message={message}
            view={basis}
            onClose={() => {
              setBasis(null);
              article.current?.querySelector<HTMLElement>(basis === "why" ? ".why-action" : ".used-chip")?.focus();
            }}
          />
        ) : null}
        {message.notes.map((note) => (
          <p key={note} class="note">
            {t.chat.notes[note] ?? note}
          </p>
        ))}
      </article>
      {mine ? <Proposals facts={proposals} /> : <Decide message={message} />}
      {mine ? <Kept facts={kept} /> : null}
    </div>
  );
});

function UserText({
  message,
  kept,
  proposals,
  words,
}: {
  message: Message;
  kept: readonly Fact[];
  proposals: readonly Fact[];
  words: string | undefined;
}): JSX.Element {
  const [shown, rest] = useBeginning(message.content, true, words);
  const pointed = useStore(state, ({ pointed: id }) =>
    id && (kept.some((fact) => fact.id === id) || proposals.some((fact) => fact.id === id)) ? id : null,
  );
  const facts = useFacts(kept, proposals);
  return (
    <div class="said">
      <Said text={shown} facts={facts} pointed={pointed} />
      {rest}
    </div>
  );
}

/** The same list as long as both lists are the same. */
function useFacts(kept: readonly Fact[], proposals: readonly Fact[]): readonly Fact[] {
  const [cache] = useState<{ kept?: readonly Fact[]; proposals?: readonly Fact[]; all: readonly Fact[] }>({ all: [] });
  if (cache.kept !== kept || cache.proposals !== proposals)
    Object.assign(cache, { kept, proposals, all: [...kept, ...proposals] });
  return cache.all;
}

function Answer({
  message,
  answers,
  words,
}: {
  message: Message;
  answers: boolean;
  words: string | undefined;
}): JSX.Element {
  const arriving = message.status === "streaming";
  const arrived = useStore(streams, (texts) => (arriving ? texts[message.id] : undefined));
  const text = arrived || message.content;
  const [shown, rest] = useBeginning(text, !arriving, words);
  return (
    <div class="answer" aria-busy={arriving}>
      <Mark />
      <div class="answer-text">
        {text ? <Markdown text={shown} /> : <Pending id={message.id} />}
        {rest}
        {message.status === "failed" ? (
          <p class="failed">
            <strong>{t.chat.failed}</strong> {t.chat.failedHint}{" "}
            {answers ? (
              <button type="button" onClick={() => answerAgain(message)}>
                {t.chat.tryAgain}
              </button>
            ) : null}
          </p>
        ) : null}
      </div>
    </div>
  );
}

/** The beginning of a text, and a button for the rest of it if there is more. Words that were gone to are shown. */
function useBeginning(text: string, limited = true, words = ""): [string, JSX.Element | null] {
  const [all, setAll] = useState(!limited); // what was seen to arrive stays
  if (all || !limited) return [text, null];
  let end = Math.min(text.length, SHOWN_CHARACTERS);
  for (let line = 0, at = -1; line < SHOWN_LINES; line += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at > end) break;
    if (line === SHOWN_LINES - 1) end = at;
  }
  if (end >= text.length) return [text, null];
  const at = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
  if (at + words.length > end) return [text, null];
  const bytes = size(new Blob([text]).size);
  return [
    text.slice(0, end),
    <button type="button" class="show-all" onClick={() => setAll(true)}>
      {t.chat.showAll(bytes)}
    </button>,
  ];
}

/** A message on its way into the memory. */
export const Sending = memo(({ message, ready }: { message: Outgoing; ready: boolean }) => {
  const { problem, text } = message;
  const [shown, rest] = useBeginning(text);
  const next = useStore(state, ({ running }) => isNext(message, running));
  const back = (): void => {
    takeBack(message);
    state.set({ draft: text });
    document.querySelector<HTMLTextAreaElement>("#message")?.focus();
  };
  return (
    <div class="turn" data-role="user">
      <article
        class="message sending"
        data-role="user"
        data-id={message.id}
        data-status={problem ? "failed" : "waiting"}
      >
        <h2 class="sr">{t.chat.you}</h2>
        <div class="said">
          <Said text={shown} facts={NO_FACTS} pointed={null} />
          {rest}
        </div>
        {problem ? (
          <p class="failed">
            <strong>{t.chat.notStored}</strong> {sentence(problem)}{" "}
            <button type="button" onClick={() => sendAgain(message)}>
              {t.chat.tryAgain}
            </button>{" "}
            <button type="button" onClick={back}>
              {t.chat.takeBack}
            </button>
          </p>
        ) : (
          <footer>
            <span class="waiting-note">
              <Icon name="arrow" />
              {!ready ? t.chat.waiting : next ? t.chat.sending : t.chat.afterFormer}
            </span>
          </footer>
        )}
      </article>
    </div>
  );
});

/** Rounds of a chat follow one another, in the order in which they were begun. */
function isNext({ id, session_id }: Outgoing, running: ReadonlyMap<string, string | null>): boolean {
  for (const [round, session] of running) if (session === session_id) return round === id;
  return true;
}

const NO_FACTS: readonly Fact[] = [];
