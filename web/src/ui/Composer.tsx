/** Where the user writes. Works from the first moment; Enter sends unless it belongs to an input method. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { t } from "./i18n/index";
import type { App, View } from "./memory";

export function Composer({ app, view }: { app: App; view: View }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const composing = useRef(false);
  const answering = view.answering !== null && view.status.state !== "starting";

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, innerHeight / 3)}px`;
  }, [text]);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) box.current?.focus();
  }, [view.sessionId]);

  const send = (): void => {
    if (!text.trim()) return;
    const wrong = app.send(text);
    setProblem(wrong);
    if (wrong === null) setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey) return;
    // Enter that confirms a candidate: said three ways, as browsers differ in the order of the two events.
    if (event.isComposing || event.keyCode === 229 || composing.current) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="composer-box">
        <textarea
          id="composer"
          ref={box}
          rows={1}
          dir="auto"
          aria-label={t("message")}
          placeholder={t("messageHint")}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onCompositionStart={() => (composing.current = true)}
          onCompositionEnd={() => setTimeout(() => (composing.current = false))}
        />
        {answering && (
          <button type="button" class="round quiet-round" aria-label={t("stop")} onClick={() => app.stop()}>
            <Icon name="stop" />
          </button>
        )}
        <button type="submit" class="round" aria-label={t("send")} disabled={!text.trim()}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}
