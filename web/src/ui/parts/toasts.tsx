import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { dismissToast } from "../state/memory";
import { state, type Toast } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

/** They stand between the conversation, which makes room for them, and the message box. A dialog has them itself. */
export function Toasts({ inDialog = false }: { inDialog?: boolean }): JSX.Element {
  const toasts = useStore(state, (value) => value.toasts);
  const busy = useStore(state, ({ busy, dialog }) => (busy === "chats" && dialog?.kind === "import" ? null : busy));
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => (inDialog ? undefined : measure(list.current as Element, "--toasts")), [inDialog]);
  return (
    <div class={inDialog ? "toasts in-dialog" : "toasts"} aria-live="polite" ref={list}>
      {busy ? (
        <div class="toast busy">
          <p class="toast-text">{busy === "export" ? t.files.exporting : t.files.importing}</p>
        </div>
      ) : null}
      {toasts.map((toast) => (
        <Note key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** Keeps an element's height in a custom property. */
export function measure(element: Element, name: string): () => void {
  const root = document.documentElement.style;
  const observer = new ResizeObserver(() => root.setProperty(name, `${element.getBoundingClientRect().height}px`));
  observer.observe(element);
  return () => {
    observer.disconnect();
    root.removeProperty(name);
  };
}

function Note({ toast }: { toast: Toast }): JSX.Element {
  const { id, text, details, actions, until, tone } = toast;
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const left = Math.max(0, until - Date.now());
    note.current?.style.setProperty("--left", `${left}ms`);
    const timer = setTimeout(() => dismissToast(id), left);
    return () => clearTimeout(timer);
  }, [id, until]);
  return (
    <div class={`toast ${tone}`} ref={note}>
      <div class="toast-text">
        <p dir="auto">{text}</p>
        {details?.length ? (
          <ul>
            {details.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : null}
      </div>
      <div class="toast-actions">
        {actions.map(({ label, run }) => (
          <button
            key={label}
            type="button"
            onClick={() => {
              dismissToast(id);
              run();
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <button type="button" class="icon-button" aria-label={t.dismiss} onClick={() => dismissToast(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
