/** Code, coloured, with line numbers where it has any. Long code is shown in part until it is asked for. */
import { useHighlighted } from './highlight.ts';
import { Long } from './Long.tsx';
import type { Language } from './languages.ts';
import { Scroll } from './Scroll.tsx';
import { Text } from './Text.tsx';

export interface CodeProps {
  readonly text: string;
  readonly language: Language | undefined;
  /** The number of the first line; without it lines have none. */
  readonly startLine?: number;
  readonly label: string;
}

export function Code({ text, language, startLine, label }: CodeProps) {
  return (
    <Long text={text} label={label}>
      {(shown) => <Lines text={shown} language={language} startLine={startLine} label={label} />}
    </Long>
  );
}

function Lines({ text, language, startLine, label }: CodeProps) {
  const coloured = useHighlighted(text, language);
  const plain = text.split('\n');
  return (
    <Scroll class="code" label={label}>
      <pre dir="ltr">
        {startLine !== undefined && (
          <code class="line-numbers" aria-hidden="true">
            {plain.map((_, place) => startLine + place).join('\n')}
          </code>
        )}
        <code>
          {coloured === undefined ? (
            <Text text={text} />
          ) : (
            coloured.map((pieces, line) => [
              line > 0 && '\n',
              ...pieces.map((piece, place) =>
                piece.scope === undefined ? (
                  <Text key={`${line}.${place}`} text={piece.text} />
                ) : (
                  <span key={`${line}.${place}`} class={`hl-${piece.scope}`}>
                    <Text text={piece.text} />
                  </span>
                ),
              ),
            ])
          )}
        </code>
      </pre>
    </Scroll>
  );
}
