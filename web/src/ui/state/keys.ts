/** Keys that work on the whole page, and files that are dropped on it. */

import { t } from "../i18n";
import { tb } from "../i18n/basis";
import { isComposing } from "../parts/ime";
import { attach, isForMemory } from "./attaching";
import { act } from "./memory";
import { newChat } from "./sessions";
import { state } from "./state";

const DROP_ENDS_MS = 250;

export function watchKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || isComposing(event)) return;
    const { dialog, failure } = state.get();
    const key = event.key.toLowerCase();
    if (failure) return;
    if (event.ctrlKey || event.metaKey) {
      if (key === "k" && !event.shiftKey && (!dialog || dialog.kind === "palette")) {
        event.preventDefault();
        state.set({ dialog: dialog ? null : { kind: "palette" } });
      } else if (key === "o" && event.shiftKey && !dialog) {
        event.preventDefault();
        newChat();
      } else if ((key === "," || key === "，") && !event.shiftKey && !dialog) {
        event.preventDefault();
        state.set({ dialog: { kind: "settings" } });
      }
    } else if (!dialog && !isTyping(event.target)) {
      if (key !== "?" && key !== "？" && key !== "/") return;
      event.preventDefault();
      if (key !== "/") state.set({ dialog: { kind: "shortcuts" } });
      else document.querySelector<HTMLElement>("#message")?.focus();
    }
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

/** What is dropped on the conversation is attached, elsewhere it is to be imported, as are memories anywhere; without this
 * the browser would leave the page for it. */
export function watchDrops(): void {
  const root = document.documentElement;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => root.removeAttribute("data-dropping");
  addEventListener("dragover", (event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    const attaching = mayAttach(event);
    event.dataTransfer.dropEffect = attaching || mayImport() ? "copy" : "none";
    if (attaching || mayImport()) root.setAttribute("data-dropping", attaching ? tb.dropHere : t.files.drop);
    clearTimeout(timer);
    timer = setTimeout(end, DROP_ENDS_MS);
  });
  addEventListener("drop", (event) => {
    end();
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    if (mayAttach(event) && !files.some(isForMemory)) return act(() => attach(files));
    if (files.length && mayImport()) state.set({ dialog: { kind: "import", files } });
  });
}

function mayAttach({ target }: DragEvent): boolean {
  const { dialog, failure } = state.get();
  return !dialog && !failure && target instanceof Element && target.closest(".conversation, .foot") !== null;
}

function mayImport(): boolean {
  const { ready, busy, dialog } = state.get();
  return ready && busy === null && (dialog === null || dialog.kind === "import");
}
