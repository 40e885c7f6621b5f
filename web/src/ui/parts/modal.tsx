import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { state } from "../state/state";
import { Icon } from "./icons";
import { Toasts } from "./toasts";

export const close = (): void => state.set({ dialog: null });

interface ModalProps {
  title: string;
  /** How it looks, where it differs from the others. */
  kind?: string;
  children: ComponentChildren;
}

export function Modal({ title, kind = "", children }: ModalProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current as HTMLDialogElement;
    const before = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      // The focus goes back to where it was, unless something else has it by then.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby="dialog-title"
      // At once, for the next key; `close` comes later. A field for files says it too.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      // One that made way for another has nothing to say any more.
      onClose={({ currentTarget }) => currentTarget.isConnected && close()}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="icon-button" aria-label={t.panel.close} onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
        <Toasts inDialog />
      </div>
    </dialog>
  );
}
