/** What can be done with a message, beneath it, and the arrows between its other versions. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "../i18n";
import { tb } from "../i18n/basis";
import type { Message } from "../model";
import { answerAgain } from "../state/chat";
import { focusNext } from "../state/focus";
import { act } from "../state/memory";
import { forgetMessage, isIncognito, showBranch } from "../state/sessions";
import { isAnswering, state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

const COPIED_MS = 2_000;

interface TurnActionsProps {
  message: Message;
  /** It answers a message of the user. */
  answers: boolean;
  onEdit(): void;
  onWhy(): void;
}

export function TurnActions({ message, answers, onEdit, onWhy }: TurnActionsProps): JSX.Element {
  const answering = useStore(state, isAnswering);
  const mine = message.role === "user";
  const { chat } = t;
  return (
    <span class="turn-actions">
      {"clipboard" in navigator ? <Copy text={message.content} /> : null}
      {mine ? <Action icon="pencil" label={chat.editMessage} disabled={answering} onClick={onEdit} /> : null}
      {answers ? (
        <Action icon="again" label={chat.again} disabled={answering} onClick={() => answerAgain(message)} />
      ) : null}
      {mine ? null : <Action icon="why" label={tb.why} kind="why-action" onClick={onWhy} />}
      {mine ? null : (
        <Action icon="sent" label={chat.inspect} onClick={() => state.set({ dialog: { kind: "prompt", message } })} />
      )}
      {isIncognito(message.session_id) ? null : (
        <Action icon="bin" label={chat.forgetMessage} onClick={() => act(() => forgetMessage(message))} />
      )}
    </span>
  );
}

interface ActionProps {
  icon: Parameters<typeof Icon>[0]["name"];
  label: string;
  disabled?: boolean;
  /** A selector finds it by these. */
  step?: string;
  kind?: string;
  onClick(): void;
}

function Action({ icon, label, disabled = false, step, kind = "", onClick }: ActionProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button bare ${kind}`}
      aria-label={label}
      title={label}
      disabled={disabled}
      data-step={step}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function Copy({ text }: { text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <>
      <Action icon={copied ? "check" : "copy"} label={t.chat.copyMessage} onClick={() => act(copy)} />
      <span class="sr" role="status">
        {copied ? t.chat.copied : ""}
      </span>
    </>
  );
}

/** “2/3”: the versions of a message, or the answers to one, stand beside each other. */
export function Branches({ message }: { message: Message }): JSX.Element | null {
  const all = useStore(state, (value) => value.branches[message.id]);
  const disabled = useStore(state, isAnswering);
  if (!all) return null;
  const at = all.indexOf(message.id);
  const go = (by: number): void => {
    const id = all[at + by] as string;
    // At the last one this way its button is of no use; the other is.
    const goesOn = all[at + 2 * by] !== undefined ? by : -by;
    focusNext(id, `[data-step="${goesOn}"]`);
    act(() => showBranch(id));
  };
  const arrow = (by: number, icon: "back" | "forth", label: string): JSX.Element => (
    <Action
      icon={icon}
      label={label}
      step={String(by)}
      disabled={disabled || all[at + by] === undefined}
      onClick={() => go(by)}
    />
  );
  const { chat } = t;
  return (
    <span class="branches" role="group" aria-label={chat.version(at + 1, all.length)}>
      {arrow(-1, "back", chat.formerVersion)}
      <span aria-hidden="true">
        {at + 1}/{all.length}
      </span>
      {arrow(1, "forth", chat.nextVersion)}
    </span>
  );
}
