/** Where the keyboard was before something covered it: a covered part of the page loses the focus at once. */

let last: HTMLElement | null = null;

addEventListener("focusin", ({ target }) => {
  if (target instanceof HTMLElement && target.closest("main")) last = target;
});

/** The function given back returns the focus, once the page can take it again. */
export function keepFocus(): () => void {
  const before = last;
  return () => {
    const gone = document.activeElement;
    requestAnimationFrame(() => {
      // Unless something else, such as a message that was gone to, has been focused meanwhile.
      if (document.activeElement === gone || document.activeElement === document.body) before?.focus();
    });
  };
}
