/**
 * Cuts a long Markdown text into pieces that can be parsed, rendered and laid out one by one. It is fed the whole text
 * each time; of one that has only grown, what was cut before stays the same piece.
 */

/** A piece ends where a block does, once it has this many lines … */
const ENOUGH_LINES = 40;
/** … and, where no block ends, at the next line, list item or row of a table. */
const MOST_LINES = 160;
const MOST_CHARACTERS = 16_000;
const CODE_LINES = 200;

const FENCE = /^( *)(`{3,}(?=[^`]*$)|~{3,})/;
const ITEM = /^(?:[-*+]|(\d{1,9})[.)])[ \t]/;
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:[ \t]*\S/;
const WIDE = /[\u1100-\uffff]/g;

export interface TextPiece {
  kind: "text";
  text: string;
  lines: number;
  /** It goes on with the block that the piece before it ended in. */
  joined: boolean;
}

/** A block of code between fences, in parts. Each keeps its line breaks. */
export interface CodePiece {
  kind: "code";
  parts: readonly string[];
  /** As its fence names it. */
  language: string;
  lines: number;
  /** Of the longest line, in columns. */
  width: number;
}

export type Piece = TextPiece | CodePiece;

interface Fence {
  sign: string;
  length: number;
  /** It stands alone, in no list. */
  own: boolean;
}

export class Pieces {
  /** Lines that say where links of the form `[text][name]` lead. */
  definitions = "";
  private text = "";
  private done: Piece[] = [];
  /** Where the piece begins that is not whole yet, and the line that has not been looked at. */
  private begin = 0;
  private at = 0;
  private lines = 0;
  private joined = false;
  private blank = false;
  private fence: Fence | null = null;
  private code: { parts: string[]; width: number; language: string } | null = null;
  /** The head of the table that the piece ends in, and what is put before one that goes on with it. */
  private head = "";
  private before = "";
  private lastLine = "";

  of(text: string): readonly Piece[] {
    // Engines compare whole texts many times faster than beginnings.
    if (text.slice(0, this.text.length) !== this.text) Object.assign(this, new Pieces());
    this.text = text;
    for (;;) {
      const newline = text.indexOf("\n", this.at);
      const end = newline < 0 ? text.length : newline + 1;
      // One endless line is cut, too.
      if (!this.code && end - this.at > 2 * MOST_CHARACTERS) this.take(this.placeInLine());
      else if (newline < 0) break;
      else this.take(end);
    }
    const rest = text.slice(this.begin);
    if (this.code) {
      return [...this.done, this.codePiece(rest)];
    }
    return rest.trim() ? [...this.done, this.piece(rest)] : this.done.slice();
  }

  private piece(text: string): TextPiece {
    return { kind: "text", text: this.before + text, lines: this.lines + 1, joined: this.joined };
  }

  private codePiece(rest: string): CodePiece {
    const { parts, width, language } = this.code as { parts: string[]; width: number; language: string };
    const lines = parts.length * CODE_LINES + this.lines;
    return { kind: "code", parts: rest ? [...parts, rest] : parts.slice(), language, lines, width };
  }

  private take(end: number): void {
    const line = this.text.slice(this.at, end).replace(/\r?\n$/, "");
    const fence = FENCE.exec(line);
    if (this.code) this.takeCode(line, end, fence);
    else if (this.fence) this.takeFenced(line, fence);
    else this.takeText(line, end, fence);
    this.at = end;
  }

  private takeText(line: string, end: number, fence: RegExpExecArray | null): void {
    const empty = line.trim() === "";
    if (fence) {
      const [, indent = "", signs = ""] = fence;
      const own = indent === "";
      this.fence = { sign: signs.charAt(0), length: signs.length, own };
      if (own) {
        this.cut(false);
        this.startAfter(end, false);
        this.code = { parts: [], width: 0, language: line.slice(signs.length).trim() };
        return;
      }
    } else if (!empty && this.mayCut(line)) this.cut(!this.blank);
    if (!line.includes("|")) this.head = "";
    else if (DELIMITER_ROW.test(line) && this.lastLine.includes("|")) this.head = `${this.lastLine}\n${line}\n`;
    if (DEFINITION.test(line)) this.definitions += `${line}\n`;
    this.blank = empty;
    this.lastLine = line;
    this.lines += 1;
  }

  /** Code inside a list is cut only where it would go on for ever. */
  private takeFenced(line: string, fence: RegExpExecArray | null): void {
    if (this.closes(line, fence)) this.fence = null;
    else if (this.lines >= 10 * MOST_LINES) this.cut(true);
    this.lines += 1;
  }

  private mayCut(line: string): boolean {
    const outside = !/^\s/.test(line);
    const item = ITEM.exec(line);
    if (this.blank && outside && !item && this.lines >= ENOUGH_LINES) return true;
    if (this.lines < MOST_LINES && this.at - this.begin < MOST_CHARACTERS) return false;
    // A list that is cut begins anew with its own number.
    return (outside && item?.[1] !== "1") || this.lines >= 2 * MOST_LINES || this.at - this.begin >= 2 * MOST_CHARACTERS;
  }

  private takeCode(line: string, end: number, fence: RegExpExecArray | null): void {
    const code = this.code as { parts: string[]; width: number };
    if (this.closes(line, fence)) {
      this.done.push(this.codePiece(this.text.slice(this.begin, this.at)));
      this.code = this.fence = null;
      this.startAfter(end, false);
      return;
    }
    const wide = line.match(WIDE)?.length ?? 0;
    const tabs = line.split("\t").length - 1;
    code.width = Math.max(code.width, line.length + wide + 7 * tabs);
    this.lines += 1;
    if (this.lines < CODE_LINES) return;
    code.parts.push(this.text.slice(this.begin, end));
    this.startAfter(end, false);
  }

  private closes(line: string, fence: RegExpExecArray | null): boolean {
    const open = this.fence as Fence;
    const signs = fence?.[2] ?? "";
    if (signs.charAt(0) !== open.sign || signs.length < open.length) return false;
    return line.trim() === signs && (!open.own || (fence?.[1]?.length ?? 0) < 4);
  }

  /** What stands before the line that is being looked at becomes a piece. */
  private cut(joined: boolean): void {
    const text = this.text.slice(this.begin, this.at);
    if (text.trim()) this.done.push({ ...this.piece(text), lines: this.lines });
    this.startAfter(this.at, joined);
  }

  private startAfter(place: number, joined: boolean): void {
    this.begin = place;
    this.lines = 0;
    this.joined = joined;
    this.before = joined ? this.head : "";
    if (!joined) this.head = "";
    this.blank = false;
  }

  private placeInLine(): number {
    const place = this.at + MOST_CHARACTERS;
    const space = this.text.lastIndexOf(" ", place);
    if (space > place - 200) return space + 1;
    const code = this.text.charCodeAt(place);
    return code >= 0xdc00 && code < 0xe000 ? place + 1 : place;
  }
}
