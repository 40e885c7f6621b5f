/** A message of the user being worded anew, in its place. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { size, t } from "../i18n";
import { MAX_MESSAGE_BYTES, type Message } from "../model";
import { sendEdit } from "../state/chat";
import { isAnswering, state } from "../state/state";
import { useStore } from "../state/store";
import { isComposing } from "./ime";

const TALLEST_PX = 360;

export function MessageEditor({ message, onClose }: { message: Message; onClose(): void }): JSX.Element {
  const [text, setText] = useState(message.content);
  const [problem, setProblem] = useState<string | null>(null);
  const answering = useStore(state, isAnswering);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current as HTMLTextAreaElement;
    element.focus({ preventScroll: true });
    element.setSelectionRange(element.value.length, element.value.length);
  }, []);
  useLayoutEffect(() => {
    const element = field.current as HTMLTextAreaElement;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, TALLEST_PX)}px`;
  }, [text]);
  const unchanged = !text.trim() || text === message.content;
  const submit = (): void => {
    if (unchanged || answering) return;
    const bytes = new Blob([text]).size;
    if (bytes > MAX_MESSAGE_BYTES) setProblem(t.composer.tooLarge(size(bytes), size(MAX_MESSAGE_BYTES)));
    else sendEdit(message, text);
  };
  const hint = `edit-hint-${message.id}`;
  return (
    <form
      class="message-editor"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={t.chat.editMessage}
        aria-describedby={hint}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setProblem(null);
        }}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            submit();
          }
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <p class="edit-hint" id={hint} role={problem ? "alert" : undefined}>
        {problem ?? t.chat.editNote}
      </p>
      <div class="editor-actions">
        <button type="submit" class="primary" disabled={unchanged || answering}>
          {t.chat.sendEdit}
        </button>
        <button type="button" onClick={onClose}>
          {t.facts.cancel}
        </button>
      </div>
    </form>
  );
}
