/** The usage page: takes the place of list and chat. */
import { useState } from 'preact/hooks';
import type { ChatList } from '../../src/views/page/types.ts';
import type { UsageAnswer } from '../app/answers.ts';
import type { Api } from '../app/api.ts';
import { go, type Route, withParams } from '../app/router.ts';
import { useAnswer } from '../app/useAnswer.ts';
import { shortNames } from '../list/rows.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Failed } from '../parts/Failed.tsx';
import { shortModel } from './amounts.ts';
import { Choosing } from './Choosing.tsx';
import { CostPlot } from './CostPlot.tsx';
import { choicesOf } from './choices.ts';
import { Dearest } from './Dearest.tsx';
import { Explain, type ExplainProps } from './Explain.tsx';
import { Figures, incompleteText } from './Figures.tsx';
import { aboutFigure } from './figuretexts.ts';
import { HeatMap } from './HeatMap.tsx';
import { Section } from './Section.tsx';
import { Shares } from './Shares.tsx';
import { summed } from './series.ts';
import { daysOf, keyText } from './spans.ts';
import { TeamParts } from './TeamParts.tsx';
import { TeamPlot } from './TeamPlot.tsx';
import { Tools } from './Tools.tsx';
import { useLast } from './useLast.ts';

export interface UsageProps {
  readonly api: Api;
  readonly route: Route;
  readonly list: ChatList | undefined;
}

type Explaining = Pick<ExplainProps, 'about' | 'slice'> & { readonly title: string };

export function Usage({ api, route, list }: UsageProps) {
  const choices = choicesOf(route);
  const { asked, span } = choices;
  const key = JSON.stringify(asked);
  const days = useAnswer(`days ${key}`, (more) => api.usage({ ...asked, by: 'day,model,project' }, more));
  const chats = useAnswer(`chats ${key}`, (more) => api.usage({ ...asked, by: 'chat,model' }, more));
  const year = useAnswer(`year ${choices.project}`, (more) =>
    api.usage({ ...asked, since: choices.year.first, by: 'day' }, more),
  );
  const tools = useAnswer(`tools ${key}`, (more) => api.tools(asked, more));
  const isTeam = list?.team !== undefined;
  const stack = isTeam ? choices.stack : 'model';
  const [explaining, setExplaining] = useState<Explaining | null>(null);
  const explain = (title: string, slice: ExplainProps['slice'], about = '') =>
    setExplaining({ title, slice: { ...asked, ...slice }, about });
  const explainDays = (at: string, by: typeof span) => explain(`Cost of ${keyText(at, by, false)}`, daysOf(at, by));
  const usage = useLast(days.value);
  const dearest = useLast(chats.value);
  const calendar = useLast(year.value);
  const called = useLast(tools.value);
  const plot = { span, days: choices.days, onExplain: (at: string) => explainDays(at, span) };
  return (
    <div class="usage">
      <header class="usage-head">
        <h1>Usage</h1>
        <Choosing route={route} list={list} choices={choices} />
      </header>
      {days.error !== undefined && <Failed error={days.error} retry={days.retry} />}
      {usage === undefined && days.error === undefined && <Waiting />}
      {usage !== undefined && usage.totals.messages === 0 && <Nothing route={route} />}
      {usage !== undefined && usage.totals.messages > 0 && (
        <div class="usage-all" data-old={days.value === undefined || undefined}>
          <Figures usage={usage} onExplain={(figure) => explain(...aboutFigure(figure, usage))} />
          <Section title={`Cost by ${span}`}>
            {stack === 'model' || stack === 'project' ? (
              <CostPlot
                {...plot}
                rows={usage.rows}
                by={stack}
                nameOf={stack === 'model' ? shortModel : (path) => namesOf(usage).get(path) ?? path}
              />
            ) : (
              <TeamPlot {...plot} api={api} asked={asked} by={stack} />
            )}
          </Section>
          <Section title="The last 12 months">
            {calendar && (
              <HeatMap rows={calendar.rows} {...choices.year} onExplain={(day) => explainDays(day, 'day')} />
            )}
          </Section>
          <div class="usage-pair">
            <Section title="Projects">
              <Shares
                what="Project"
                sums={summed(usage.rows, 'project')}
                nameOf={(path) => namesOf(usage).get(path) ?? path}
                onExplain={(project) => explain(`Cost of ${project}`, { project })}
              />
            </Section>
            <Section title="Models">
              <Shares
                what="Model"
                sums={summed(usage.rows, 'model')}
                nameOf={shortModel}
                onExplain={(model) => explain(`Cost of ${shortModel(model)}`, { model })}
              />
            </Section>
          </div>
          {isTeam && <TeamParts api={api} asked={asked} />}
          <Section title="Dearest chats">
            {chats.error && <Failed error={chats.error} retry={chats.retry} />}
            {dearest && (
              <Dearest
                usage={dearest}
                onExplain={(chat, title) => explain(`Cost of “${title}”`, { chat, project: undefined })}
              />
            )}
            {dearest === undefined && !chats.error && <div class="skeleton usage-skeleton" />}
          </Section>
          <Section title="Tools">
            {tools.error && <Failed error={tools.error} retry={tools.retry} />}
            {called && <Tools tools={called} />}
            {called === undefined && !tools.error && <div class="skeleton usage-skeleton" />}
          </Section>
          <Notes usage={usage} />
        </div>
      )}
      {explaining && (
        <Dialog title={explaining.title} wide onClose={() => setExplaining(null)}>
          <Explain api={api} about={explaining.about} slice={explaining.slice} />
        </Dialog>
      )}
    </div>
  );
}

function namesOf({ rows }: UsageAnswer): Map<string, string> {
  return shortNames([...new Set(rows.map(({ key }) => key.project ?? ''))]);
}

function Nothing({ route }: { readonly route: Route }) {
  return (
    <div class="state">
      <p class="state-what">Nothing was used in this time</p>
      <button
        type="button"
        class="button"
        onClick={() => go(withParams(route, { range: 'all', project: '' }), { replace: true })}
      >
        Show everything
      </button>
    </div>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Counting">
      <div class="figures">
        {[0, 1, 2, 3].map((index) => (
          <div key={index} class="skeleton figure-skeleton" />
        ))}
      </div>
      <div class="skeleton usage-skeleton" />
      <p class="usage-later small quiet">Counting every message. The first time takes longer.</p>
    </div>
  );
}

/** What the totals do not hold, and where the prices are from. */
function Notes({ usage }: { readonly usage: UsageAnswer }) {
  const { totals, unknownModels, prices } = usage;
  return (
    <footer class="usage-notes small quiet">
      {totals.incomplete > 0 && <p>* {incompleteText(totals)}</p>}
      {unknownModels.length > 0 && (
        <p>No price is known for {unknownModels.join(', ')}: what they cost is in no sum.</p>
      )}
      {prices && (
        <p>
          Estimated by {prices.name} of {prices.date}; a subscription is billed otherwise.
        </p>
      )}
    </footer>
  );
}
