/** The words around an exact find, with the find marked. */

import type { JSX } from "preact";
import type { Hit } from "../model";

const BEFORE = 24;
const AFTER = 90;

export function around({ text, start, length }: Hit): JSX.Element {
  const letters = Array.from(text); // places are counted in code points
  const from = Math.max(0, start - BEFORE);
  const to = start + length + AFTER;
  const plain = (part: string[]): string => part.join("").replace(/\s+/g, " ");
  return (
    <>
      {from > 0 ? "…" : ""}
      {plain(letters.slice(from, start))}
      <mark class="hit">{letters.slice(start, start + length).join("")}</mark>
      {plain(letters.slice(start + length, to))}
      {to < letters.length ? "…" : ""}
    </>
  );
}

/** The same for words that stand in a short text; null where they do not. */
export function marked(text: string, words: string): JSX.Element {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0 || !words) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark class="hit">{text.slice(at, at + words.length)}</mark>
      {text.slice(at + words.length)}
    </>
  );
}
