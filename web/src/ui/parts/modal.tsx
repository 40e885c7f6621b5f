import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { state } from "../state/state";
import { Icon } from "./icons";
import { Toasts } from "./toasts";

export const close = (): void => state.set({ dialog: null });

export function Modal({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={close}
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
