/** The conversation, with what was noticed in a message right below it. */

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Proposals } from "./Proposals";
import { Markdown } from "./markdown";
import { type TextKey, t, time } from "./i18n/index";
import type { App, Fact, Message, View } from "./memory";

interface Props {
  app: App;
  view: View;
  /** A message to show and point out. */
  target: string | null;
  reached: () => void;
}

export function Conversation({ app, view, target, reached }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const last = view.messages.at(-1);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && atEnd.current && !target) element.scrollTop = element.scrollHeight;
  }, [view.messages, view.proposals]);

  useEffect(() => {
    if (!target) return;
    const element = document.getElementById(`message-${target}`);
    if (!element) return;
    atEnd.current = false;
    element.scrollIntoView({ block: "center" });
    element.focus();
    element.classList.add("pointed-out");
    const timer = setTimeout(() => element.classList.remove("pointed-out"), 2500);
    reached();
    return () => clearTimeout(timer);
  }, [target, view.messages]);

  const onScroll = (): void => {
    const element = scroller.current;
    if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
  };
  return (
    <div class="scroller" ref={scroller} onScroll={onScroll}>
      <div class="conversation" role="log" aria-label={t("conversation")} aria-busy={last?.status === "streaming"} tabIndex={0}>
        {view.more && (
          <button type="button" class="text-button earlier" onClick={() => app.showEarlier()}>
            {t("showEarlier")}
          </button>
        )}
        {view.messages.length === 0 && <Welcome />}
        {view.messages.map((message) => (
          <MessageView
            key={message.id}
            app={app}
            message={message}
            proposals={view.proposals.filter((fact) => fact.source_message_id === message.id)}
          />
        ))}
      </div>
    </div>
  );
}

function Welcome() {
  const examples: TextKey[] = ["example1", "example2", "example3"];
  const fill = (text: string): void => {
    const box = document.getElementById("composer") as HTMLTextAreaElement | null;
    if (!box) return;
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
  };
  return (
    <section class="welcome">
      <h2>{t("emptyTitle")}</h2>
      <p>{t("emptyBody")}</p>
      <p class="eyebrow">{t("emptyTry")}</p>
      <ul>
        {examples.map((key) => (
          <li key={key}>
            <button type="button" class="example" onClick={() => fill(t(key))}>
              {t(key)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function MessageView({ app, message, proposals }: { app: App; message: Message; proposals: Fact[] }) {
  const own = message.role === "user";
  return (
    <article
      id={`message-${message.id}`}
      class={`message message-${message.role} message-${message.waiting ? "waiting" : message.status}`}
      data-role={message.role}
      tabIndex={-1}
      aria-label={`${t(own ? "you" : "assistant")}, ${time(message.created_at)}`}
    >
      <div class="bubble">
        {own ? (
          <p class="said" dir="auto">
            <Underlined text={message.content} quotes={proposals.map(({ quote }) => quote ?? "")} />
          </p>
        ) : (
          <Markdown text={message.content} />
        )}
        {message.status === "streaming" && !message.content && <p class="quiet">{t("answering")}</p>}
      </div>
      {message.waiting && <p class="note">{t("waitingMessage")}</p>}
      {message.status === "stopped" && <p class="note">{t("stopped")}</p>}
      {message.status === "failed" && <p class="note note-bad">{t("failedHint")}</p>}
      {proposals.length > 0 && <Proposals app={app} facts={proposals} />}
    </article>
  );
}

/** The message with the words that facts were seen in underlined. */
function Underlined({ text, quotes }: { text: string; quotes: string[] }) {
  const spans = quotes
    .filter(Boolean)
    .map((quote) => [text.indexOf(quote), quote.length] as const)
    .filter(([at]) => at >= 0)
    .sort((a, b) => a[0] - b[0]);
  const parts = [];
  let end = 0;
  for (const [at, length] of spans) {
    if (at < end) continue;
    parts.push(text.slice(end, at), <mark key={at}>{text.slice(at, at + length)}</mark>);
    end = at + length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}
