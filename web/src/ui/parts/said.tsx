/** The user's own words as they were written, with the words underlined from which something was learned. */

import { Fragment, type JSX } from "preact";
import { useMemo } from "preact/hooks";
import { size } from "../i18n";
import { tb } from "../i18n/basis";
import type { Fact } from "../model";
import { fileIn } from "../state/attaching";
import { Icon } from "./icons";
import { Code } from "./markdown";
import { memo } from "./memo";
import { useStepwise } from "./stepwise";

interface Piece {
  text: string;
  facts: readonly Fact[];
}

/** A fenced block of code, or a file that was attached. */
interface Fenced {
  text: string;
  info: string;
}

interface SaidProps {
  text: string;
  facts: readonly Fact[];
  /** Id of the fact whose card is pointed at. */
  pointed: string | null;
}

const GROUP_LINES = 200;
const LINE_EM = 1.55;
const FENCE = /^(```|~~~)([^\n]*)\n([\s\S]*?)(?:^\1[ \t]*$|(?![\s\S]))/gm;

export const Said = memo(({ text, facts, pointed }: SaidProps) => {
  const groups = useMemo(() => grouped(linesOf(text, facts)), [text, facts]);
  const ready = useStepwise(groups.length);
  const [only] = groups;
  if (groups.length === 1 && only) return <Lines lines={only} pointed={pointed} />;
  return (
    <>
      {groups.slice(0, ready).map((lines, i) => (
        <div key={i} class="apart" style={{ containIntrinsicBlockSize: `auto ${lines.length * LINE_EM}em` }}>
          <Lines lines={lines} pointed={pointed} />
        </div>
      ))}
    </>
  );
});

/** Many lines in groups that are rendered and laid out one by one. */
function grouped<T>(lines: readonly T[]): T[][] {
  const count = Math.max(1, Math.ceil(lines.length / GROUP_LINES));
  return Array.from({ length: count }, (_, i) => lines.slice(i * GROUP_LINES, (i + 1) * GROUP_LINES));
}

const Lines = memo(({ lines, pointed }: { lines: ReadonlyArray<Fenced | Piece[]>; pointed: string | null }) => (
  <>
    {lines.map((line, i) =>
      "info" in line ? (
        <Block key={i} block={line} />
      ) : (
        // The line break makes no difference to the eye, but to what is copied or read out.
        <Fragment key={i}>
          <Line pieces={line} pointed={pointed} />
          {"\n"}
        </Fragment>
      ),
    )}
  </>
));

function Block({ block: { text, info } }: { block: Fenced }): JSX.Element {
  const name = fileIn(info);
  if (name === null) return <Code parts={[text]} language={info.trim()} />;
  return (
    <details class="attachment">
      <summary>
        <Icon name="clip" />
        <span dir="auto">{tb.attached(name, size(new Blob([text]).size))}</span>
      </summary>
      <Code parts={[text]} language={name.includes(".") ? (name.split(".").at(-1) as string) : ""} />
    </details>
  );
}

function Line({ pieces, pointed }: { pieces: readonly Piece[]; pointed: string | null }): JSX.Element {
  return (
    <div class="line" dir="auto">
      {pieces.map(({ text, facts }) => {
        if (facts.length === 0) return text;
        const waiting = facts.some((fact) => fact.status === "candidate");
        const here = facts.some((fact) => fact.id === pointed);
        return <mark class={`learned ${waiting ? "waiting" : "kept"}${here ? " pointed" : ""}`}>{text}</mark>;
      })}
      {pieces.length === 0 ? <br /> : null}
    </div>
  );
}

/** Lines of pieces, and fenced blocks. */
function linesOf(text: string, facts: readonly Fact[]): Array<Fenced | Piece[]> {
  const marked = piecesOf(text, facts);
  const out: Array<Fenced | Piece[]> = [];
  let place = 0;
  for (const match of text.matchAll(FENCE)) {
    out.push(...split(cut(marked, place, match.index).filter((piece) => piece.text !== "\n")));
    out.push({ info: match[2] ?? "", text: (match[3] ?? "").replace(/\n$/, "") });
    place = match.index + match[0].length + 1;
  }
  if (place === 0 || place < text.length) out.push(...split(cut(marked, place, text.length)));
  return out;
}

function piecesOf(text: string, facts: readonly Fact[]): Array<Piece & { at: number }> {
  const spans = facts.flatMap((fact) => {
    const at = fact.quote ? text.indexOf(fact.quote) : -1;
    return at < 0 ? [] : [{ from: at, to: at + (fact.quote as string).length, fact }];
  });
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  return edges.slice(0, -1).map((at, i) => ({
    at,
    text: text.slice(at, edges[i + 1]),
    facts: spans.filter(({ from, to }) => from <= at && at < to).map(({ fact }) => fact),
  }));
}

function cut(pieces: ReadonlyArray<Piece & { at: number }>, from: number, to: number): Piece[] {
  return pieces
    .map(({ at, text, facts }) => ({ facts, text: text.slice(Math.max(0, from - at), Math.max(0, to - at)) }))
    .filter(({ text }) => text !== "");
}

function split(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    piece.text.split("\n").forEach((text, i) => {
      if (i > 0) lines.push([]);
      if (text) lines.at(-1)?.push({ ...piece, text });
    });
  }
  return lines;
}
