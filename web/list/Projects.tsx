/** The narrow first column: filters and projects. */
import { hrefOf, type Route, withParams } from '../app/router.ts';
import type { ListProps } from './List.tsx';
import { MarkFilters } from './MarkFilters.tsx';
import { chosenChats, parseFilter, projectsOf } from './rows.ts';

export function Projects({ list, route }: ListProps) {
  const { project = '', filter = '' } = route.params;
  const chats = list?.chats ?? [];
  const isMarked = chats.some(({ marks }) => marks.length > 0) || parseFilter(filter).marks.length > 0;
  return (
    <div class="projects-list">
      {isMarked && (
        <fieldset class="projects-group">
          <legend>Show only</legend>
          <MarkFilters chats={chats} route={route} class="project-row" />
        </fieldset>
      )}
      <div class="projects-group">
        <h2>Projects</h2>
        <ProjectLink
          route={route}
          project=""
          name="All projects"
          count={chosenChats(chats, '', filter).length}
          here={project === ''}
        />
        {projectsOf(chosenChats(chats, '', filter)).map(({ project: path, name, chats: count }) => (
          <ProjectLink key={path} route={route} project={path} name={name} count={count} here={project === path} />
        ))}
      </div>
    </div>
  );
}

interface LinkProps {
  readonly route: Route;
  readonly project: string;
  readonly name: string;
  readonly count: number;
  readonly here: boolean;
}

function ProjectLink({ route, project, name, count, here }: LinkProps) {
  return (
    <a
      class="project-row"
      href={hrefOf(withParams(route, { project }))}
      title={project === '' ? undefined : project}
      aria-current={here ? 'true' : undefined}
    >
      <span class="project-name" dir="auto">
        {name}
      </span>
      <span class="project-count number">{count}</span>
    </a>
  );
}
