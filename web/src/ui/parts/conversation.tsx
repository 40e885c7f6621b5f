import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../i18n";
import type { Fact, Message } from "../model";
import { markWords, unmark } from "../state/marking";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { showEarlier } from "../state/window";
import { Empty } from "./empty";
import { IncognitoEmpty } from "./incognito";
import { Icon } from "./icons";
import { Sending, Turn } from "./message";
import { useScrolling } from "./scrolling";

const NONE: readonly Fact[] = [];

export function Conversation(): JSX.Element {
  const messages = useStore(state, (value) => value.messages);
  const outgoing = useStore(state, (value) => value.outgoing);
  const current = useStore(state, (value) => value.current);
  const incognito = useStore(state, (value) => value.current !== null && value.current === value.incognito);
  const earlier = useStore(state, (value) => value.earlier);
  const ready = useStore(state, (value) => value.ready);
  const loaded = useStore(state, (value) => value.loaded);
  const target = useStore(state, (value) => value.target);
  const kept = useBySource(useStore(state, (value) => value.facts));
  const proposals = useBySource(useStore(state, (value) => value.proposals));
  const shown = messages.filter((message) => message.role === "user" || message.role === "assistant");
  const here = new Set(messages.map((message) => message.id));
  const sending = outgoing.filter(
    ({ id, session_id }) => (session_id === current || session_id === null) && !here.has(id),
  );
  const empty = shown.length === 0 && sending.length === 0;
  const { log, atEnd, toEnd } = useScrolling(current, empty);
  useTarget(log, target, messages);
  const undecided = empty && !loaded && current !== null;
  return (
    <div class="conversation">
      {/* What a reader goes back to is not read out as if it had just been said. */}
      <div
        class="log"
        role="log"
        aria-label={t.chat.label}
        aria-live={atEnd || empty ? undefined : "off"}
        tabIndex={0}
        ref={log}
      >
        <div class="column">
          {empty && incognito ? <IncognitoEmpty /> : empty && !undecided ? <Empty /> : null}
          {earlier ? (
            <button type="button" class="earlier" onClick={() => act(showEarlier)}>
              {t.chat.earlier}
            </button>
          ) : null}
          {shown.map((message, i) => (
            <Turn
              key={message.id}
              message={message}
              kept={kept.get(message.id) ?? NONE}
              proposals={proposals.get(message.id) ?? NONE}
              target={target?.message === message.id ? target.at : 0}
              words={target?.message === message.id ? target.words : undefined}
              answers={message.role === "assistant" && shown[i - 1]?.role === "user"}
            />
          ))}
          {sending.map((message) => (
            <Sending key={message.id} message={message} ready={ready} />
          ))}
        </div>
      </div>
      {atEnd || empty ? null : (
        <button type="button" class="newest" aria-label={t.chat.newest} onClick={toEnd}>
          <Icon name="arrow" />
        </button>
      )}
    </div>
  );
}

/** Facts by the message they came from. The list of a message stays the same as long as its facts do. */
function useBySource(facts: readonly Fact[]): ReadonlyMap<string, readonly Fact[]> {
  const former = useRef<Map<string, Fact[]>>(new Map());
  return useMemo(() => {
    const grouped = new Map<string, Fact[]>();
    for (const fact of [...facts].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      if (fact.source_message_id)
        grouped.set(fact.source_message_id, [...(grouped.get(fact.source_message_id) ?? []), fact]);
    }
    for (const [id, list] of grouped) {
      const before = former.current.get(id);
      if (before && JSON.stringify(before) === JSON.stringify(list)) grouped.set(id, before);
    }
    former.current = grouped;
    return grouped;
  }, [facts]);
}

function useTarget(
  log: { current: HTMLElement | null },
  target: { message: string; at: number; words?: string } | null,
  messages: readonly Message[],
): void {
  const done = useRef(0);
  useEffect(() => {
    if (!target || done.current === target.at) return;
    const article = log.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(target.message)}"]`);
    if (!article) return;
    done.current = target.at;
    article.scrollIntoView({ block: "center" });
    article.focus({ preventScroll: true });
    unmark();
    if (target.words) markWords(article, target.words);
  }, [target, messages]);
}
