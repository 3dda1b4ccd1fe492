/** What a terminal showed. */
import { ansiPieces } from './ansi.ts';
import { Long } from './Long.tsx';
import { Scroll } from './Scroll.tsx';
import { Text } from './Text.tsx';

export function Terminal({
  command = '',
  output,
  error = '',
}: {
  readonly command?: string;
  readonly output: string;
  readonly error?: string;
}) {
  return (
    <div class="terminal" dir="ltr">
      {command !== '' && (
        <pre class="terminal-command">
          <span aria-hidden="true">$ </span>
          <Text text={command} />
        </pre>
      )}
      {output.trim() !== '' && <Output text={output} label="output" />}
      {error.trim() !== '' && <Output text={error} label="errors" bad />}
    </div>
  );
}

function Output({
  text,
  label,
  bad = false,
}: {
  readonly text: string;
  readonly label: string;
  readonly bad?: boolean;
}) {
  return (
    <Long text={text} label={label}>
      {(shown) => (
        <Scroll class={bad ? 'terminal-output bad' : 'terminal-output'} label={label}>
          <pre>
            <Ansi text={shown} />
          </pre>
        </Scroll>
      )}
    </Long>
  );
}

export function Ansi({ text }: { readonly text: string }) {
  return (
    <>
      {ansiPieces(text).map(({ text: part, classes }, place) =>
        classes === '' ? (
          <Text key={place} text={part} />
        ) : (
          <span key={place} class={classes}>
            <Text text={part} />
          </span>
        ),
      )}
    </>
  );
}
