/** Marks the exact words that somebody was led to, wherever they stand in a message, without changing it. */

const NAME = "found";
const TRIES_MS = [0, 60, 200, 500, 1000];

let turn = 0;

/** The words, or as much of them as stands in the message once it is drawn; browsers without highlights of their own
 * show the message alone. */
export function markWords(article: HTMLElement, words: string): void {
  const mine = ++turn;
  const tries = [...TRIES_MS];
  const step = (): void => {
    if (mine !== turn || !article.isConnected) return;
    const range = rangeOf(article, words);
    if (range) show(range);
    else if (tries.length) setTimeout(step, tries.shift());
  };
  step();
}

export function unmark(): void {
  turn += 1;
  globalThis.CSS?.highlights?.delete(NAME);
}

function show(range: Range): void {
  if (!CSS.highlights) return;
  CSS.highlights.set(NAME, new Highlight(range));
  range.startContainer.parentElement?.scrollIntoView({ block: "center" });
}

function rangeOf(article: HTMLElement, words: string): Range | null {
  const text = article.querySelector(".said, .answer-text");
  const sought = folded(words).trim();
  if (!text || !sought) return null;
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes: Array<{ node: Text; at: number }> = [];
  let whole = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, at: whole.length });
    whole += folded((node as Text).data);
  }
  const from = whole.indexOf(sought);
  if (from < 0) return null;
  const range = document.createRange();
  const place = (at: number, end: boolean): [Text, number] => {
    const found = nodes.findLast((one) => (end ? one.at < at : one.at <= at)) ?? nodes[0];
    return [(found as { node: Text }).node, Math.min(at - (found?.at ?? 0), found?.node.data.length ?? 0)];
  };
  range.setStart(...place(from, false));
  range.setEnd(...place(from + sought.length, true));
  return range;
}

/** Of the same length, so that places stay. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return (lower.length === text.length ? lower : text).replace(/\s/g, " ");
}
