/** Whether a key belongs to an input method that is choosing characters, as when writing Chinese. */

let composing = false;

// Some browsers end the composition before they report the Enter that ended it.
addEventListener("compositionstart", () => (composing = true), true);
addEventListener("compositionend", () => setTimeout(() => (composing = false)), true);
addEventListener("blur", () => (composing = false), true);

export function isComposing(event: KeyboardEvent): boolean {
  return composing || event.isComposing || event.keyCode === 229;
}
