/** The key that goes with a letter on this kind of machine. */
export const modifier = /Mac|iP(hone|ad|od)/.test(navigator.platform) ? "⌘" : "Ctrl";
