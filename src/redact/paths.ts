/** Home folders and the names in them: `/home/alice/x` is `~/x` to someone else. Also as project folders spell paths. */

const HOMES =
  /(?<![\w.~-])(?:\/(?:home|Users)\/(?!Shared\b|Public\b)[^\s/\\:;,"'`<>|()[\]{}*?$]{1,64}|\/root(?=\/|\b(?![\w.-]))|[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)(?!Public\b|Default\b)[^\s/\\:;,"'`<>|*?]{1,64}|\/mnt\/[a-z]\/Users\/[^\s/\\:;,"'`<>|]{1,64})/g;

/** `-home-alice-work`: where the client keeps the sessions of /home/alice/work. The name itself may hold a dash. */
const SLUGS = /(?<=\/|\\|^|["'\s])-(?:home|Users)-[A-Za-z0-9]{1,64}(?=-|$|["'/\\\s])/g;

export interface PathOptions {
  /** The home folder of whoever shares, as it is spelled here, whatever its form. */
  readonly home?: string;
}

export function maskPaths(text: string, { home }: PathOptions = {}): string {
  const own = home === undefined || home.length < 2 ? text : ownHome(text, home);
  return own.replace(HOMES, '~').replace(SLUGS, '-home-user');
}

function ownHome(text: string, home: string): string {
  const slug = home.replace(/[^A-Za-z0-9]/g, '-');
  return replaceWhole(replaceWhole(text, home, '~'), slug, '-home-user');
}

/** Only where the path ends or goes on below: /home/al is not part of /home/alice. */
function replaceWhole(text: string, path: string, by: string): string {
  const parts = text.split(path);
  return parts.reduce((done, part, index) => {
    if (index === 0) return part;
    return done + (/^[\w.]/.test(part) ? path : by) + part;
  }, '');
}
