import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { size, t } from "../i18n";
import { MAX_MESSAGE_BYTES } from "../model";
import { attaching, detach, detachAll, dropRefusal, heldBy, withFiles } from "../state/attaching";
import { send, stop } from "../state/chat";
import { act } from "../state/memory";
import { isAnswering, state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";
import { AttachButton, Attached } from "./attached";
import { isComposing } from "./ime";
import { ModelButton } from "./model-button";

const TALLEST_PX = 240;

export function Composer(): JSX.Element {
  const draft = useStore(state, (value) => value.draft);
  const answering = useStore(state, isAnswering);
  const incognito = useStore(state, (value) => value.current !== null && value.current === value.incognito);
  const [large, setProblem] = useState<string | null>(null);
  const current = useStore(state, (value) => value.current);
  const { files, problem: refused } = useStore(attaching, () => heldBy(current));
  const problem = large ?? refused;
  const field = useRef<HTMLTextAreaElement>(null);

  useLayoutEffect(() => {
    const element = field.current as HTMLTextAreaElement;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, TALLEST_PX)}px`;
  }, [draft]);

  const submit = (): void => {
    const text = withFiles(current, draft.trim() ? draft : "");
    if (!text) return;
    const bytes = text.length * 3 > MAX_MESSAGE_BYTES ? new Blob([text]).size : 0;
    if (bytes > MAX_MESSAGE_BYTES) {
      setProblem(t.composer.tooLarge(size(bytes), size(MAX_MESSAGE_BYTES)));
      return;
    }
    send(text);
    detachAll(current);
    state.set({ draft: "" });
    field.current?.focus();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {problem ? (
        <p class="composer-problem" id="message-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <Attached files={files} onRemove={(at) => detach(current, at)} />
      <div class="composer-box">
        <AttachButton />
        <textarea
          id="message"
          ref={field}
          rows={1}
          dir="auto"
          enterkeyhint="send"
          aria-label={t.composer.label}
          aria-invalid={problem !== null}
          aria-describedby={problem ? "message-problem" : "message-hint"}
          placeholder={incognito ? t.incognito.placeholder : t.composer.placeholder}
          // Browsers keep what stands in a form with the tab's history.
          autocomplete={incognito ? "off" : undefined}
          value={draft}
          onInput={(event) => {
            state.set({ draft: event.currentTarget.value });
            setProblem(null);
            dropRefusal(current);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            submit();
          }}
        />
        {answering ? (
          <button
            type="button"
            class="round-button stop"
            onClick={() => act(stop)}
            aria-label={t.composer.stop}
            title={t.composer.stop}
          >
            <Icon name="stop" filled />
          </button>
        ) : null}
        <button
          type="submit"
          class="round-button send"
          disabled={!draft.trim() && files.length === 0}
          aria-label={t.composer.send}
          title={t.composer.send}
        >
          <Icon name="send" />
        </button>
      </div>
      <div class="composer-foot">
        <ModelButton />
        <p class="hint" id="message-hint">
          {t.composer.hint}
        </p>
      </div>
    </form>
  );
}
