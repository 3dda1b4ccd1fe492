/** Markdown → elements, without HTML: what is written as HTML is shown as it is written. Nothing is loaded. */
import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Code } from './Code.tsx';
import { ExternalLink } from './Link.tsx';
import { languageNamed } from './languages.ts';
import { isTable, lexed } from './lexed.ts';
import { Scroll } from './Scroll.tsx';
import { Text } from './Text.tsx';

export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lexed(text), [text]);
  if (tokens === undefined) return <Plain text={text} />;
  return <div class="markdown">{tokens.map(block)}</div>;
}

const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const;

function block(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      // The page's own headings are the prompts: these stand below them.
      const Heading = HEADINGS[token.depth - 1] ?? 'h6';
      return (
        <Heading key={key} dir="auto">
          {inlineOf(token)}
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p key={key} dir="auto">
          {inlineOf(token)}
        </p>
      );
    case 'text':
      return <span key={key}>{inlineOf(token)}</span>;
    case 'code':
      return (
        <Code
          key={key}
          text={token.text}
          language={languageNamed(firstWord(token.lang))}
          label={codeLabel(token.lang)}
        />
      );
    case 'blockquote':
      return <blockquote key={key}>{blocksOf(token)}</blockquote>;
    case 'list':
      return isList(token) ? <List key={key} list={token} /> : null;
    case 'table':
      return isTable(token) ? <Table key={key} table={token} /> : <Plain key={key} text={token.raw} />;
    case 'hr':
      return <hr key={key} />;
    default:
      return <Plain key={key} text={token.raw} />;
  }
}

function Plain({ text }: { readonly text: string }) {
  return (
    <p class="plain" dir="auto">
      <Text text={text} />
    </p>
  );
}

function blocksOf(token: Token): ComponentChildren {
  return 'tokens' in token && token.tokens ? token.tokens.map(block) : null;
}

function inlineOf(token: Token): ComponentChildren {
  if ('tokens' in token && token.tokens) return token.tokens.map(inline);
  return <Text text={'text' in token && typeof token.text === 'string' ? token.text : token.raw} />;
}

function inline(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inlineOf(token)}</strong>;
    case 'em':
      return <em key={key}>{inlineOf(token)}</em>;
    case 'del':
      return <del key={key}>{inlineOf(token)}</del>;
    case 'codespan':
      return (
        <code key={key} dir="ltr">
          <Text text={token.text} />
        </code>
      );
    case 'br':
      return <br key={key} />;
    case 'link':
      return (
        <ExternalLink key={key} href={token.href}>
          {inlineOf(token)}
        </ExternalLink>
      );
    case 'image':
      return (
        <ExternalLink key={key} href={token.href}>
          image: {token.text === '' ? token.href : token.text}
        </ExternalLink>
      );
    case 'escape':
    case 'text':
      return token.type === 'text' && 'tokens' in token && token.tokens ? (
        <span key={key}>{inlineOf(token)}</span>
      ) : (
        <Text key={key} text={token.text} />
      );
    default:
      return <Text key={key} text={token.raw} />;
  }
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, place) => (
    <li key={place} class={item.task ? 'task' : undefined}>
      {item.task && <span aria-hidden="true">{item.checked ? '☑ ' : '☐ '}</span>}
      {item.tokens.filter(({ type }) => type !== 'checkbox').map(block)}
    </li>
  ));
  if (!list.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={list.start === '' ? 1 : list.start}>
      {items}
    </ol>
  );
}

function Table({ table }: { readonly table: Tokens.Table }) {
  const cell = ({ tokens, align }: Tokens.TableCell) => ({
    class: align === null ? undefined : `align-${align}`,
    children: tokens.map(inline),
  });
  return (
    <Scroll class="table" label="table">
      <table dir="auto">
        <thead>
          <tr>
            {table.header.map((each, place) => (
              <th key={place} scope="col" {...cell(each)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, line) => (
            <tr key={line}>
              {row.map((each, place) => (
                <td key={place} {...cell(each)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token;
}

function firstWord(text: string | undefined): string {
  return /^[\w+#.-]+/.exec(text ?? '')?.[0] ?? '';
}

function codeLabel(lang: string | undefined): string {
  const name = firstWord(lang);
  return name === '' ? 'code' : `code: ${name}`;
}
