/** What a team spends: by team and person, its budgets, and its most expensive habits. */
import type { TeamUsageAnswer } from '../app/answers.ts';
import type { Api, Params } from '../app/api.ts';
import { hrefOf } from '../app/router.ts';
import { useAnswer } from '../app/useAnswer.ts';
import { Masked } from '../list/Masked.tsx';
import { Failed } from '../parts/Failed.tsx';
import { costText, counted, percentText, tokenText } from './amounts.ts';
import { NumberHeading, ShareHeading } from './headings.tsx';
import { Section } from './Section.tsx';
import { Share, Shares } from './Shares.tsx';
import { summed } from './series.ts';
import { useLast } from './useLast.ts';

export interface TeamPartsProps {
  readonly api: Api;
  readonly asked: Params;
}

export function TeamParts({ api, asked }: TeamPartsProps) {
  const team = useAnswer(`team ${JSON.stringify(asked)}`, (more) => api.teamUsage(asked, more));
  const told = useLast(team.value);
  return (
    <>
      {team.error && <Failed error={team.error} retry={team.retry} />}
      {told && <Parts told={told} />}
      {told === undefined && !team.error && <div class="skeleton usage-skeleton" role="status" aria-label="Counting" />}
    </>
  );
}

function Parts({ told }: { readonly told: TeamUsageAnswer }) {
  const sumsBy = (name: string) =>
    summed(told.tables.find(({ by }) => by.length === 1 && by[0] === name)?.rows ?? [], name);
  return (
    <>
      <div class="usage-pair">
        <Section title="Teams">
          <Shares what="Team" sums={sumsBy('team')} nameOf={teamName} />
        </Section>
        <Section title="People">
          <Shares what="Person" sums={sumsBy('person')} nameOf={(person) => person} />
        </Section>
      </div>
      <Section title="Budgets">
        <Budgets budgets={told.budgets} />
      </Section>
      <Section title="The most expensive habits">
        <Habits habits={told.habits} />
      </Section>
    </>
  );
}

export function teamName(name: string): string {
  return name === '' ? 'no team' : name;
}

const STATES = { fine: 'fine', ahead: 'will be over', over: 'over' };

function Budgets({ budgets }: Pick<TeamUsageAnswer, 'budgets'>) {
  if (budgets.length === 0) return <p class="quiet small">None is set.</p>;
  return (
    <table class="usage-table">
      <thead>
        <tr>
          <th scope="col">Budget</th>
          <NumberHeading name="Spent" />
          <ShareHeading />
          <NumberHeading name="Limit" />
          <NumberHeading name="Forecast" narrow={false} />
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {budgets.map((budget) => {
          const { scope, name, period, from, usd, spentUSD, forecastUSD, state, gone } = budget;
          return (
            <tr key={`${scope} ${name} ${period}`}>
              <th scope="row" title={`${scope} ${name}, ${period} ${from}, ${percentText(gone)} of it is over`}>
                <Masked text={name} />{' '}
                <span class="quiet">
                  {scope}, by {period}
                </span>
              </th>
              <td class="number-cell">{costText(spentUSD)}</td>
              <td class="bar-cell">
                <Share of={spentUSD / usd} bad={state === 'over'} />
              </td>
              <td class="number-cell">{costText(usd)}</td>
              <td class="number-cell narrow-off">{costText(forecastUSD)}</td>
              <td class={`budget-state ${state}`}>{STATES[state]}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Habits({ habits }: Pick<TeamUsageAnswer, 'habits'>) {
  const largest = Math.max(...habits.map(({ costUSD }) => costUSD), Number.MIN_VALUE);
  if (habits.length === 0) return <p class="quiet small">None was found in this time.</p>;
  return (
    <>
      <table class="usage-table habits">
        <thead>
          <tr>
            <th scope="col">Habit</th>
            <NumberHeading name="Cost" />
            <ShareHeading />
            <NumberHeading name="Times" />
            <NumberHeading name="Tokens" narrow={false} />
          </tr>
        </thead>
        <tbody>
          {habits.map(({ habit, title, what, advice, costUSD, times, tokens, chats, where }) => (
            <tr key={habit}>
              <th scope="row">
                {title}
                <p class="habit-text">{what}</p>
                <p class="habit-text">
                  <strong>{advice}</strong>
                </p>
                <p class="habit-text">
                  Most in{' '}
                  {where.slice(0, 3).map((place, index) => (
                    <span key={`${place.chat} ${place.person} ${place.project}`}>
                      {index > 0 && ', '}
                      <a href={hrefOf({ page: 'chat', id: place.chat })}>{place.chat.slice(0, 8)}</a>{' '}
                      <Masked text={lastPart(place.project)} /> {place.person} {costText(place.costUSD)}
                    </span>
                  ))}
                </p>
              </th>
              <td class="number-cell">{costText(costUSD)}</td>
              <td class="bar-cell">
                <Share of={costUSD / largest} />
              </td>
              <td class="number-cell" title={counted(chats, 'chat')}>
                {times.toLocaleString('en')}
              </td>
              <td class="number-cell narrow-off">{tokenText(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet small">They overlap, and what they cost is an estimate: docs/team.md tells how each is found.</p>
    </>
  );
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).at(-1) || path;
}
