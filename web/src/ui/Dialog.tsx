/** A modal sheet: the browser keeps focus inside and closes it on Escape. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icons";
import { t } from "./i18n/index";

interface Props {
  title: string;
  side?: boolean;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, side = false, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={side ? "dialog dialog-side" : "dialog"}
      aria-labelledby={heading}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-inner">
        <header class="dialog-header">
          <h2 id={heading}>{title}</h2>
          <button type="button" class="icon-button" aria-label={t("close")} onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
