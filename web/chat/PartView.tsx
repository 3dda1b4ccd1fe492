/** One part of a tool call that was opened. */
import { useMemo } from 'preact/hooks';
import { type Json, parseJson } from '../../src/format/json.ts';
import type { Part } from '../../src/views/toolview.ts';
import { Code } from '../parts/Code.tsx';
import { Diff, diffCounts } from '../parts/Diff.tsx';
import { Picture } from '../parts/Image.tsx';
import { JsonTree } from '../parts/JsonTree.tsx';
import { ExternalLink } from '../parts/Link.tsx';
import { Long } from '../parts/Long.tsx';
import { languageOfPath } from '../parts/languages.ts';
import { Markdown } from '../parts/Markdown.tsx';
import { Ansi, Terminal } from '../parts/Terminal.tsx';
import { Text } from '../parts/Text.tsx';
import { Todos } from '../parts/Todos.tsx';

/** Tools whose answers are written for people. */
const PROSE: ReadonlySet<string> = new Set(['ExitPlanMode', 'WebFetch', 'WebSearch', 'Task', 'Agent']);

/** `argument` stands in the line above: it is not said twice. */
export function PartView({
  part,
  tool,
  argument,
}: {
  readonly part: Part;
  readonly tool: string;
  readonly argument: string;
}) {
  switch (part.type) {
    case 'text':
      return <Said text={part.text.replace(/<\/?tool_use_error>/g, '')} tool={tool} />;
    case 'code':
      return <FileCode {...part} path={part.path} known={part.path === argument} />;
    case 'command':
      return <Terminal command={part.command} output={part.stdout} error={part.stderr} />;
    case 'diff':
      return <FileDiff {...part} known={part.path === argument} />;
    case 'todos':
      return <Todos todos={part.todos} before={part.before} />;
    case 'files':
      return <Files files={part.files} />;
    case 'links':
      return (
        <ul class="links">
          {part.links.map(({ title, url }, place) => (
            <li key={place} dir="auto">
              <ExternalLink href={url}>
                <Text text={title === '' ? url : title} />
              </ExternalLink>{' '}
              {title !== '' && <span class="quiet small">{url}</span>}
            </li>
          ))}
        </ul>
      );
    case 'answers':
      return (
        <dl class="answers">
          {part.answers.map(({ question, answer }, place) => (
            <div key={place} dir="auto">
              <dt>
                <Text text={question} />
              </dt>
              <dd>
                <Text text={answer} />
              </dd>
            </div>
          ))}
        </dl>
      );
    case 'image':
      return <Picture mediaType={part.mediaType ?? ''} data={part.data ?? ''} />;
    case 'json':
      return <JsonTree value={part.value} />;
  }
}

/** JSON of tools that nobody knows is a tree to read, not a blob. */
function Said({ text, tool }: { readonly text: string; readonly tool: string }) {
  const json = useMemo(() => structureIn(text), [text]);
  if (json !== undefined) return <JsonTree value={json} />;
  return (
    <Long text={text} label="the text">
      {(shown) =>
        PROSE.has(tool) ? (
          <Markdown text={shown} />
        ) : (
          <p class="plain said-by-tool" dir="auto">
            <Ansi text={shown} />
          </p>
        )
      }
    </Long>
  );
}

const LONGEST_JSON = 500_000;

function structureIn(text: string): Json | undefined {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text)) return undefined;
  const json = parseJson(text);
  return typeof json === 'object' && json !== null ? json : undefined;
}

function FileCode({ text, path, startLine = 1, known }: Extract<Part, { type: 'code' }> & { readonly known: boolean }) {
  const code = text.replace(/\n$/, '');
  const count = code.split('\n').length;
  return (
    <figure>
      {path !== undefined && (
        <figcaption class="part-title" dir="ltr">
          {!known && <Text text={path} />}
          <span class="quiet">
            {' '}
            lines {startLine}–{startLine + count - 1}
          </span>
        </figcaption>
      )}
      <Code text={code} language={languageOfPath(path)} startLine={startLine} label={path ?? 'code'} />
    </figure>
  );
}

function FileDiff({ path, hunks, known }: Extract<Part, { type: 'diff' }> & { readonly known: boolean }) {
  const { added, removed } = diffCounts(hunks);
  return (
    <figure>
      <figcaption class="part-title" dir="ltr">
        {!known && <Text text={path} />} <span class="added-count">+{added}</span>{' '}
        <span class="removed-count">−{removed}</span>
      </figcaption>
      <Diff hunks={hunks} path={path} />
    </figure>
  );
}

function Files({ files }: { readonly files: readonly string[] }) {
  if (files.length === 0) return <p class="quiet">Nothing was found.</p>;
  return (
    <Long text={files.join('\n')} label="the files">
      {(shown) => (
        <ul class="files" dir="ltr">
          {shown.split('\n').map((file, place) => (
            <li key={place}>
              <Text text={file} />
            </li>
          ))}
        </ul>
      )}
    </Long>
  );
}
