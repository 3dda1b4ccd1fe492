/** Which parts of which entries and files the filters of a query let through. */
import { namesProject, projectSlug } from '../../format/slug.ts';
import type { Found, Part, Where } from './parts.ts';
import { type Choice, IN, type Query } from './query.ts';

type Test = (value: string | undefined) => boolean;

/** `any` lets everything through when it is empty; `none` wins. An empty name is none: so the client writes a branch outside git. */
export function choiceTest({ any, none }: Choice, fits: (value: string, wanted: string) => boolean): Test {
  if (any.length === 0 && none.length === 0) return () => true;
  return (value) => {
    if (value === undefined || value === '') return any.length === 0;
    return (any.length === 0 || any.some((wanted) => fits(value, wanted))) && !none.some((each) => fits(value, each));
  };
}

/** The whole name, where `*` stands for anything; upper and lower case are alike. */
export function namesLike(value: string, wanted: string): boolean {
  const name = value.toLowerCase();
  const [first = '', ...rest] = wanted.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  let at = first.length;
  if (!name.startsWith(first)) return false;
  // The first place each part fits is as good as any: a pattern would try them all, which takes forever with some.
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** A part of it is enough; `*` stands for anything. */
export function holdsLike(value: string, wanted: string): boolean {
  return namesLike(value, `*${wanted}*`);
}

export interface LabelTests {
  readonly tool: Test;
  readonly file: Test;
  readonly model: Test;
  readonly 'git-branch': Test;
}

export function labelTests({ filters }: Query): LabelTests {
  return {
    tool: choiceTest(filters.tool, namesLike),
    file: choiceTest(filters.file, holdsLike),
    model: choiceTest(filters.model, holdsLike),
    'git-branch': choiceTest(filters['git-branch'], namesLike),
  };
}

export function wheresOf(names: readonly string[]): Where[] {
  return names.flatMap((name) => IN[name] ?? []);
}

/** What a result is about is known from its call: `tool` and `file` are handed in. */
export interface PartLabels {
  readonly tool: string | undefined;
  readonly file: string | undefined;
}

export function partTest(query: Query): (found: Found, part: Part, labels: PartLabels) => boolean {
  const labelled = labelTests(query);
  const { filters, after = -Infinity, before = Infinity } = query;
  const role = choiceTest(filters.role, (value, wanted) => value === wanted);
  const where = choiceTest({ any: wheresOf(filters.in.any), none: wheresOf(filters.in.none) }, (a, b) => a === b);
  const is = choiceTest(filters.is, (value, wanted) => value === wanted);
  const timed = query.after !== undefined || query.before !== undefined;
  return (found, part, { tool, file }) =>
    role(found.role) &&
    where(part.where) &&
    is(part.isError ? 'error' : undefined) &&
    labelled.tool(tool) &&
    labelled.file(file) &&
    labelled.model(found.model) &&
    labelled['git-branch'](found.gitBranch) &&
    (!timed || (found.time !== undefined && found.time >= after && found.time < before));
}

export interface FilePlace {
  /** The name of the project's folder. */
  readonly slug: string;
  readonly session: string | undefined;
  readonly agent: string | undefined;
  /** The path of the project, as far as it can be told: others may have a folder of that name too (L2). */
  project?(): string | undefined;
}

/** undefined when every file is wanted. */
export function fileTest({ filters }: Query): ((file: FilePlace) => boolean) | undefined {
  const { project, session } = filters;
  if ([project, session].every(({ any, none }) => any.length + none.length === 0)) return undefined;
  const isSession = choiceTest(session, (ids, wanted) => ids.split(' ').some((id) => id.startsWith(wanted)));
  return (file) => {
    const { slug, session: id, agent } = file;
    const inProject = choiceTest(project, (_, wanted) => isProject(file, wanted));
    return inProject(slug) && isSession([id, agent].filter((each) => each !== undefined).join(' '));
  };
}

/** A project is named by its path, the end of it, or its folder's own name (L2). */
function isProject({ slug, project }: FilePlace, wanted: string): boolean {
  const folder = slug.toLowerCase();
  if (folder === wanted.toLowerCase()) return true;
  // The folder tells of most that they are not meant.
  const end = projectSlug(wanted.replace(/[/\\]+$/, '')).toLowerCase();
  if (folder !== end && !folder.endsWith(`-${end}`)) return false;
  const path = project?.();
  return path === undefined || namesProject(path, wanted);
}
