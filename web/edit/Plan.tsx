/** What a verb would do, as its dry run tells it. */
import type { EditAnswer, EditVerb } from '../app/answers.ts';
import { humanSize } from '../parts/clock.ts';
import { Long } from '../parts/Long.tsx';
import { Scroll } from '../parts/Scroll.tsx';
import { Text } from '../parts/Text.tsx';
import { counted, tokenText } from '../usage/amounts.ts';

/** Tokens by kind, before and after. */
export function SlimPlan({ plan: { before, after } }: { readonly plan: EditAnswer }) {
  if (after.preset === undefined) {
    return <p>It fits as it is: {tokenText(before.tokens ?? 0)} tokens. There is nothing to write.</p>;
  }
  const kinds = Object.entries(before.kinds ?? {}).map(([kind, count]) => ({
    kind: kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    before: count,
    after: after.kinds?.[kind] ?? 0,
  }));
  const rows = kinds.filter((row) => row.before > 0 || row.after > 0);
  const whole = { kind: 'context', before: before.tokens ?? 0, after: after.tokens ?? 0 };
  return (
    <>
      <Scroll class="table" label="Tokens by kind">
        <table class="edit-table number">
          <thead>
            <tr>
              <th scope="col">tokens</th>
              <th scope="col" class="align-right">
                before
              </th>
              <th scope="col" class="align-right">
                after
              </th>
              <th scope="col" class="align-right">
                saved
              </th>
            </tr>
          </thead>
          <tbody>
            {[...rows, whole].map((row) => (
              <tr key={row.kind} class={row === whole ? 'edit-sum' : undefined}>
                <th scope="row">{row.kind}</th>
                <td class="align-right">{about(row.before, row === whole && before.recorded === true)}</td>
                <td class="align-right">{about(row.after)}</td>
                <td class="align-right">{row.before === row.after ? '' : about(row.before - row.after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="quiet small">
        {after.preset}: {after.wholeTurns} of {counted(after.toolTurns ?? 0, 'turn')} with tool calls stay whole
        {(after.removedCalls ?? 0) > 0 && `, ${counted(after.removedCalls ?? 0, 'call')} removed`}. Estimated (~)
        {before.recorded === true ? ', but for what the API counted for the last answer.' : '.'}
      </p>
    </>
  );
}

function about(count: number, counted_ = false): string {
  return `${counted_ ? '' : '~'}${tokenText(count)}`;
}

/** What is wrong line by line, or what was noticed on the way. */
export function Findings({ plan, verb }: { readonly plan: EditAnswer; readonly verb: EditVerb }) {
  const { notes, after } = plan;
  if (verb === 'repair' && after.findings === 0) {
    return <p>Nothing to repair: the client takes it as it is. There is nothing to write.</p>;
  }
  if (notes.length === 0) return null;
  const lines = notes.map(({ line, what, rule }) => `${line === undefined ? '' : `line ${line}: `}${what} (${rule})`);
  return (
    <>
      <p class="edit-count">{verb === 'repair' ? counted(notes.length, 'finding') : 'Noticed on the way'}</p>
      <Long text={lines.join('\n')} label="the findings">
        {(shown) => (
          <ul class="edit-findings small">
            {shown.split('\n').map((line, place) => (
              <li key={place}>
                <Text text={line} />
              </li>
            ))}
          </ul>
        )}
      </Long>
    </>
  );
}

export function Sizes({ plan: { before, after } }: { readonly plan: EditAnswer }) {
  const along = [
    [after.agents, 'sub-agent'],
    [after.toolResults, 'large output'],
    [after.checkpoints, 'checkpoint'],
  ] as const;
  const with_ = along.flatMap(([count, word]) => (count > 0 ? counted(count, word) : []));
  return (
    <p class="quiet small number">
      {counted(before.turns, 'turn')}, {counted(before.lines, 'line')}, {humanSize(before.bytes)} →{' '}
      {counted(after.turns, 'turn')}, {counted(after.lines, 'line')}, {humanSize(after.bytes)}
      {with_.length > 0 && `, with ${with_.join(', ')}`}
    </p>
  );
}
