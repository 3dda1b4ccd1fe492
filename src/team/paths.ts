/** Where a team's files seem to lie: below a root that is no folder. */

export const TEAM_ROOT = 'team:';

/** `name` is the path below the project's folder, as the tables have it. */
export function teamPath(slug: string, name: string): string {
  return `${TEAM_ROOT}projects/${slug === '' ? '' : `${slug}/`}${name}`;
}
