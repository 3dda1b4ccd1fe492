/** The name of a project's folder (L2). One way only: the slug is lossy, the true path is the entries' `cwd`. */

const MAX_SLUG = 200;

/** `path` is the real path of the working directory; Windows paths are taken as they are. */
export function projectSlug(path: string): string {
  const slug = path.replace(/[^A-Za-z0-9]/g, '-');
  return slug.length <= MAX_SLUG ? slug : `${slug.slice(0, MAX_SLUG)}-${pathHash(path)}`;
}

function pathHash(path: string): string {
  let hash = 0;
  for (let i = 0; i < path.length; i += 1) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

/** Whether a project is meant: by its path, or the end of it. */
export function namesProject(path: string, name: string): boolean {
  const wanted = name.replace(/[/\\]+$/, '').toLowerCase();
  const whole = path.toLowerCase();
  return whole === wanted || whole.endsWith(`/${wanted}`) || whole.endsWith(`\\${wanted}`);
}
