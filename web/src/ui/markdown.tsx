/** Markdown as elements: raw HTML is shown as the text it is, and nothing remote is loaded. */

import { type Token, type Tokens, lexer } from "marked";
import type { ComponentChildren } from "preact";
import { t } from "./i18n/index";

const SAFE_LINK = /^(?:https?:|mailto:)/i;

export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocks(lexer(text, { gfm: true, breaks: true }))}</div>;
}

function blocks(tokens: readonly Token[]): ComponentChildren[] {
  return tokens.map((token, i) => <Block key={i} token={token} />);
}

function Block({ token }: { token: Token }) {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return (
        <p class="heading" dir="auto">
          {inline((token as Tokens.Heading).tokens)}
        </p>
      );
    case "paragraph":
      return <p dir="auto">{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "blockquote":
      return <blockquote dir="auto">{blocks((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "hr":
      return <hr />;
    case "code":
      return (
        <pre dir="ltr" tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "list":
      return <List list={token as Tokens.List} />;
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return <span dir="auto">{tokens ? inline(tokens) : text}</span>;
    }
    default:
      return <p dir="auto">{token.raw}</p>;
  }
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, i) => (
    <li key={i} dir="auto">
      {blocks(item.tokens)}
    </li>
  ));
  return list.ordered ? <ol start={list.start || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { table: Tokens.Table }) {
  return (
    <div class="table" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} dir="auto">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} dir="auto">
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[]): ComponentChildren[] {
  return tokens.map((token, i) => <Inline key={i} token={token} />);
}

function Inline({ token }: { token: Token }) {
  switch (token.type) {
    case "strong":
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del>{inline((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code dir="ltr">{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "escape":
      return <>{(token as Tokens.Escape).text}</>;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      return <Link href={href}>{inline(tokens)}</Link>;
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return <Link href={href}>{t("imageLink", { alt: text || href })}</Link>;
    }
    case "text": {
      const { tokens } = token as Tokens.Text;
      return <>{tokens ? inline(tokens) : unescape((token as Tokens.Text).text)}</>;
    }
    default:
      return <>{token.raw}</>;
  }
}

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  if (!SAFE_LINK.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** marked escapes plain text for HTML; elements need it as it was. */
function unescape(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
