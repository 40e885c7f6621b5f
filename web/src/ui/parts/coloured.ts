/** Code in colours: runs of text and what each is. Loaded with the first block of code that names its language. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

export interface Run {
  text: string;
  /** A kind of word, such as "keyword"; "" for plain text. */
  kind: string;
}

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, lua, markdown, php, python },
  ...{ r, ruby, rust, shell, sql, swift, typescript, xml, yaml },
};

/** Takes what the library finds as runs, so that no HTML is made of it. */
class Runs {
  readonly runs: Run[] = [];
  private readonly open: string[] = [];

  addText(text: string): void {
    if (text) this.runs.push({ text, kind: this.open.at(-1) ?? "" });
  }

  startScope(name: string): void {
    // “title.function” is a title, “language:css” only says what is inside.
    this.open.push(name.startsWith("language:") ? "" : (name.split(".")[0] ?? ""));
  }

  endScope(): void {
    this.open.pop();
  }

  __addSublanguage(inner: Runs): void {
    this.runs.push(...inner.runs);
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }

  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }
}

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
hljs.configure({ __emitter: Runs });

/** Null for a language that is not known. */
export function coloured(code: string, language: string): Run[] | null {
  if (!hljs.getLanguage(language)) return null;
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  return (emitter as unknown as Runs).runs;
}
