/** Home folders by their form alone: `/home/alice/x` is `~/x` to someone else. Also as project folders spell paths. */

const HOMES =
  /(?<![\w.~-])(?:\/(?:home|Users)\/(?!Shared\b|Public\b)[^\s/\\:;,"'`<>|()[\]{}*?$]{1,64}|\/root(?=\/|\b(?![\w.-]))|[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)(?!Public\b|Default\b)[^\s/\\:;,"'`<>|*?]{1,64}|\/mnt\/[a-z]\/Users\/[^\s/\\:;,"'`<>|]{1,64})/g;

/** `-home-alice-work`: where the client keeps the sessions of /home/alice/work. The name itself may hold a dash. */
const SLUGS = /(?<=\/|\\|^|["'\s])(?:-(?:home|Users)|[A-Za-z]--Users)-[A-Za-z0-9]{1,64}(?=-|$|["'/\\\s])/g;

export function maskPaths(text: string): string {
  return text.replace(HOMES, '~').replace(SLUGS, '-home-user');
}
