/** What a model was sent for an answer, part by part, and why each memory was in it. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { full, inARow, language } from "../i18n";
import { keyInWords } from "../i18n/keys";
import { tp } from "../i18n/prompt";
import type { Message, Prompt, PromptPart, Reason } from "../model";
import { act, call } from "../state/memory";
import { scopeOf } from "../state/sessions";
import { goToMessage } from "../state/window";
import { Icon } from "./icons";
import { close, Modal } from "./modal";

export function PromptInspector({ message }: { message: Message }): JSX.Element {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  useEffect(() => {
    const read = async (): Promise<void> => {
      setPrompt(await call<Prompt>("inspect_prompt", { message_id: message.id, ...scopeOf(message.session_id) }));
    };
    act(read);
  }, [message.id]);
  return <Modal title={tp.title}>{prompt ? <Inspected prompt={prompt} /> : <p class="none">{tp.reading}</p>}</Modal>;
}

function Inspected({ prompt }: { prompt: Prompt }): JSX.Element {
  const { model, memories, messages } = prompt;
  const used = memories.length > 0;
  return (
    <div class="inspected">
      {model === null ? (
        <p>{inARow(tp.noModel, used ? tp.foundBy : tp.nothingUsed)}</p>
      ) : (
        <Sent prompt={prompt} model={model} />
      )}
      {used ? (
        <section class="inspected-memories">
          <h3>{tp.memories}</h3>
          <ul>
            {memories.map((reason) => (
              <Memory key={`${reason.kind} ${reason.id}`} reason={reason} />
            ))}
          </ul>
        </section>
      ) : null}
      {messages.length ? (
        <details class="sent-part">
          <summary>
            <span class="sent-name">{tp.raw}</span>
          </summary>
          <pre tabIndex={0}>{messages.map(({ role, content }) => `[${role}]\n${content}`).join("\n\n")}</pre>
        </details>
      ) : null}
    </div>
  );
}

function Sent({ prompt, model }: { prompt: Prompt; model: string }): JSX.Element {
  const { tokens, counted, limit, usage, gone, exact, parts, tools, tool_tokens: ofTools, left_out: left } = prompt;
  const trimmed = Object.entries(left).flatMap(([kind, n]) => tp.left[kind]?.(n) ?? []);
  return (
    <>
      <p>
        {inARow(
          tp.asked(model),
          tokens === null ? "" : counted ? tp.counted(tokens) : tp.estimated(tokens),
          limit === null ? "" : tp.limit(limit),
        )}
      </p>
      {usage?.["prompt_tokens"] === undefined ? null : (
        <p class="kind-note">{tp.usage(usage["prompt_tokens"], usage["completion_tokens"] ?? 0)}</p>
      )}
      {gone ? <p class="sent-gone">{tp.gone(gone)}</p> : exact ? null : <p class="sent-gone">{tp.notExact}</p>}
      <ol class="sent-parts">
        {grouped(parts).map((group) => (
          <Part key={group[0]?.part} group={group} />
        ))}
        {tools.length ? (
          <li>
            <details class="sent-part">
              <summary>
                <span class="sent-name">{tp.parts["tools"]}</span>
                <small>{ofTools === null ? tools.length : tp.tokens(ofTools)}</small>
              </summary>
              <p class="sent-tools" dir="ltr">
                {tools.join(", ")}
              </p>
            </details>
          </li>
        ) : null}
      </ol>
      {trimmed.length ? (
        <div class="sent-left">
          <h3>{tp.leftOut}</h3>
          <ul>
            {trimmed.map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  );
}

/** What was said is one part. */
function grouped(parts: readonly PromptPart[]): PromptPart[][] {
  const groups: PromptPart[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last?.[0]?.part === part.part) last.push(part);
    else groups.push([part]);
  }
  return groups;
}

function Part({ group }: { group: PromptPart[] }): JSX.Element {
  const name = group[0]?.part ?? "";
  const tokens = group.reduce((sum, part) => sum + part.tokens, 0);
  return (
    <li>
      <details class="sent-part" open={name === "facts" || name === "recalled"}>
        <summary>
          <span class="sent-name">{tp.parts[name] ?? name}</span>
          <small>{tp.tokens(tokens)}</small>
        </summary>
        {group.map(({ role, text }, i) => (
          <div key={i} class="sent-text">
            {name === "messages" ? <span class="key">{tp.roles[role] ?? role}</span> : null}
            <p dir="auto">{text}</p>
          </div>
        ))}
      </details>
    </li>
  );
}

function Memory({ reason }: { reason: Reason }): JSX.Element {
  const { kind, text, status, said_at: at, source_id: source, quote } = reason;
  const cut = text.indexOf(": ");
  const [key, value] = kind === "facts" && cut > 0 ? [keyInWords(text.slice(0, cut)), text.slice(cut + 2)] : ["", text];
  const id = `used-${reason.id}`;
  const go = (to: string): void => {
    close();
    act(() => goToMessage(to));
  };
  if (status === "forgotten") return <li class="used-memory none">{tp.forgotten}</li>;
  return (
    <li class="used-memory">
      <p id={id}>
        {key ? <span class="key">{key}</span> : null}
        <span class="value" dir="auto">
          {value}
        </span>
      </p>
      <p class="used-why">{inARow(whyOf(reason), isNow(reason) ? "" : tp.superseded)}</p>
      {measured(reason) ? <p class="used-why">{measured(reason)}</p> : null}
      {quote && quote !== value ? (
        <p class="quote" dir="auto">
          <q>{quote}</q>
        </p>
      ) : null}
      <p class="used-source">
        {at === null ? null : <small>{full(at)}</small>}
        {source ? (
          <button type="button" class="quiet" aria-describedby={id} onClick={() => go(source)}>
            <Icon name="jump" />
            {tp.source}
          </button>
        ) : null}
      </p>
    </li>
  );
}

function whyOf({ why }: Reason): string {
  const code = why.because ?? why.why ?? "";
  return inARow(tp.why[code] ?? code, why.terms?.length ? tp.terms(why.terms.join(language === "zh" ? "、" : ", ")) : "");
}

/** A proposal is as good as what is current, until it is answered. */
const isNow = ({ status }: Reason): boolean => ["there", "current", "candidate"].includes(status);

/** What the rank of a recalled memory is made of: the weight of its words, times each factor. */
function measured({ why }: Reason): string {
  const own = why.own === undefined ? [] : [`${tp.factors["own"]} ${why.own}`];
  const factors = Object.entries(why.factors ?? {}).map(([name, value]) => `${tp.factors[name] ?? name} × ${value}`);
  return [...own, ...factors].join(" · ");
}
