/** Where the keyboard goes on once a message is shown: the button that was pressed has gone with what it stood on. */

let wanted: { message: string; part: string } | null = null;

/** `part` is a selector within the message; the message itself where that is not there. */
export function focusNext(message: string, part = ""): void {
  wanted = { message, part };
}

/** Called with each message that is shown. Whoever has gone on meanwhile, to type or to another button, is left alone. */
export function takeFocus(message: string, article: HTMLElement): void {
  if (wanted?.message !== message) return;
  const { part } = wanted;
  wanted = null;
  const before = document.activeElement;
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (now?.matches("input, textarea") || (now !== before && now !== document.body)) return;
    const target = part ? article.querySelector<HTMLElement>(part) : null;
    (target ?? article).focus({ preventScroll: true });
  });
}
