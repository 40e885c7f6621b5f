/** Markdown as elements, never as HTML: raw HTML is shown as text, images as links, and no address but web and mail. */

import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ComponentChild, JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { t } from "../i18n";
import type { Run } from "./coloured";
import { memo } from "./memo";
import { type Piece, Pieces } from "./pieces";
import { useStepwise } from "./stepwise";

/** Nested deeper than anyone writes by hand, the source is shown. */
const DEEPEST = 24;
/** A longer text is rendered in pieces. */
const LONG_CHARACTERS = 12_000;
const LONG_LINES = 160;
/** Height of a line of Markdown, on the average. */
const LINE_REM = 1.75;
const CODE_LINE_REM = 1.4;
const PIECES_OF_GROUP = 8;
const MOST_COLOURED = 20_000;
const STEADY_MS = 120;
const REFERENCE = /\]\[|\[[^\]]+\](?![(:])/;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export const Markdown = memo(({ text }: { text: string }) => {
  const [cutter] = useState(() => new Pieces());
  const pieces = useMemo(() => (isLong(text) ? cutter.of(text) : null), [text]);
  const groups = useMemo(() => (pieces ? grouped(pieces) : []), [pieces]);
  const ready = useStepwise(groups.length);
  if (!pieces) return <Parsed text={text} />;
  return (
    <>
      {groups.slice(0, ready).map((group, i) => (
        <Group key={i} pieces={group} definitions={cutter.definitions} />
      ))}
    </>
  );
});

/** In groups the browser has less to keep account of. */
function grouped(pieces: readonly Piece[]): Piece[][] {
  const count = Math.ceil(pieces.length / PIECES_OF_GROUP);
  return Array.from({ length: count }, (_, i) => pieces.slice(i * PIECES_OF_GROUP, (i + 1) * PIECES_OF_GROUP));
}

function Group({ pieces, definitions }: { pieces: readonly Piece[]; definitions: string }): JSX.Element {
  const height = pieces.reduce((sum, piece) => sum + heightOf(piece), 0);
  const joined = pieces[0]?.kind === "text" && pieces[0].joined;
  return (
    <div class={joined ? "pieces apart joined" : "pieces apart"} style={estimated(height)}>
      {pieces.map((piece, i) =>
        piece.kind === "code" ? (
          <Code key={i} parts={piece.parts} width={piece.width} language={piece.language} />
        ) : (
          <div key={i} class={piece.joined ? "piece apart joined" : "piece apart"} style={estimated(heightOf(piece))}>
            <Parsed text={piece.text} definitions={REFERENCE.test(piece.text) ? definitions : ""} />
          </div>
        ),
      )}
    </div>
  );
}

const heightOf = (piece: Piece): number => piece.lines * (piece.kind === "code" ? CODE_LINE_REM : LINE_REM);

/** Until it has been seen; the browser then knows. */
const estimated = (rem: number) => ({ containIntrinsicBlockSize: `auto ${Math.round(rem * 10) / 10}rem` });

function isLong(text: string): boolean {
  if (text.length > LONG_CHARACTERS) return true;
  let at = -1;
  for (let lines = 0; lines <= LONG_LINES; lines += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** `definitions`: lines that say where its links lead, from other pieces. */
const Parsed = memo(({ text, definitions = "" }: { text: string; definitions?: string }) => {
  const tokens = useMemo(() => parse(definitions ? `${text}\n\n${definitions}` : text), [text, definitions]);
  if (!tokens)
    return (
      <p class="plain" dir="auto">
        {text}
      </p>
    );
  return (
    <>
      {tokens.map((token, i) => (
        <Block key={i} token={token} depth={0} />
      ))}
    </>
  );
});

function parse(text: string): Token[] | null {
  try {
    return lexer(text, { gfm: true, breaks: true });
  } catch {
    return null; // nested so deeply that the parser gives up
  }
}

function blocks(tokens: Token[] | undefined, depth: number): ComponentChild {
  return (tokens ?? []).map((token, i) => <Block key={i} token={token} depth={depth + 1} />);
}

function Block({ token: generic, depth }: { token: Token; depth: number }): JSX.Element | null {
  if (depth > DEEPEST) return <p dir="auto">{generic.raw}</p>;
  const token = generic as MarkedToken;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "code":
      return <Code parts={[token.text]} language={token.lang} />;
    case "heading":
      return (
        <p class={`heading heading-${Math.min(token.depth, 3)}`} dir="auto">
          {inline(token.tokens, depth)}
        </p>
      );
    case "blockquote":
      return <blockquote dir="auto">{blocks(token.tokens, depth)}</blockquote>;
    case "list":
      return <List list={token} depth={depth} />;
    case "table":
      return <Table table={token} depth={depth} />;
    case "paragraph":
      return <p dir="auto">{inline(token.tokens, depth)}</p>;
    case "text":
      return <span dir="auto">{token.tokens ? inline(token.tokens, depth) : plain(token.text)}</span>;
    case "html":
      return (
        <p class="plain" dir="auto">
          {token.raw.trimEnd()}
        </p>
      );
    default:
      return <>{span(token, depth)}</>;
  }
}

function List({ list, depth }: { list: Tokens.List; depth: number }): JSX.Element {
  const items = list.items.map((item, i) => (
    <li key={i} dir="auto">
      {item.task ? <span class="task">{item.checked ? "☑ " : "☐ "}</span> : null}
      {blocks(
        item.tokens.filter((token) => token.type !== "checkbox"),
        depth,
      )}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { table: Tokens.Table; depth: number }): JSX.Element {
  return (
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} scope="col" dir="auto">
                {inline(cell.tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} dir="auto">
                  {inline(cell.tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Of a long text the parts are laid out one by one; its width, in columns, is then known beforehand. */
export function Code({
  parts,
  width = 0,
  language = "",
}: {
  parts: readonly string[];
  width?: number;
  /** As the block names it. */
  language?: string | undefined;
}): JSX.Element {
  const [copied, setCopied] = useState(false);
  const text = parts.length > 1 ? "" : (parts[0]?.replace(/\n$/, "") ?? "");
  const runs = useColours(text, language);
  const copy = (): void => {
    void navigator.clipboard.writeText(parts.join("").replace(/\n$/, "")).then(() => setCopied(true));
  };
  return (
    <div class="code" dir="ltr">
      <pre tabIndex={0}>
        {parts.length > 1 ? (
          <code class="long" style={{ minWidth: `${width}ch` }}>
            {parts.map((part, i) => (
              <Lines key={i} text={part} />
            ))}
          </code>
        ) : (
          <code>
            {runs ? runs.map(({ text, kind }) => (kind ? <span class={`code-${kind}`}>{text}</span> : text)) : text}
          </code>
        )}
      </pre>
      {"clipboard" in navigator ? (
        <button type="button" class="quiet" onClick={copy}>
          {copied ? t.chat.copied : t.chat.copy}
        </button>
      ) : null}
    </div>
  );
}

/** Colours come once the text has stayed the same for a moment, and not for more than can be told apart at once. */
function useColours(text: string, language: string): readonly Run[] | null {
  const [found, setFound] = useState<{ text: string; runs: readonly Run[] | null }>({ text: "", runs: null });
  const [name = ""] = language.toLowerCase().split(/[\s{,:]/);
  useEffect(() => {
    if (!name || !text || text.length > MOST_COLOURED) return;
    const timer = setTimeout(() => {
      // Without colours it can be read too.
      void import("./coloured").then(
        ({ coloured }) => setFound({ text, runs: coloured(text, name) }),
        () => undefined,
      );
    }, STEADY_MS);
    return () => clearTimeout(timer);
  }, [text, name]);
  return found.text === text ? found.runs : null;
}

const Lines = memo(({ text }: { text: string }) => {
  const lines = useMemo(() => text.split("\n").length - 1, [text]);
  return (
    <span class="apart" style={estimated(lines * CODE_LINE_REM)}>
      {text}
    </span>
  );
});

function inline(tokens: Token[] | undefined, depth: number): ComponentChild[] {
  return (tokens ?? []).map((token) => span(token as MarkedToken, depth + 1));
}

function span(token: MarkedToken, depth: number): ComponentChild {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, depth)}</strong>;
    case "em":
      return <em>{inline(token.tokens, depth)}</em>;
    case "del":
      return <del>{inline(token.tokens, depth)}</del>;
    case "codespan":
      return <code dir="ltr">{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={token.href}>{inline(token.tokens, depth)}</Link>;
    case "image":
      return <Link href={token.href}>{`${token.text || token.href} (${t.chat.image})`}</Link>;
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? inline(token.tokens, depth) : plain(token.text);
    default:
      return token.raw;
  }
}

function Link({ href, children }: { href: string; children: ComponentChild }): JSX.Element {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function plain(text: string): string {
  return text.replace(
    /&(?:(\w+)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name) return ENTITIES[name] ?? whole;
      const code = decimal ? Number(decimal) : parseInt(hex as string, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
