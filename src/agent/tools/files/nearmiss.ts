/** Why a piece of text was not found, where that can be told. */

/** A hint for the model; undefined where nothing is near. */
export function nearMiss(text: string, wanted: string): string | undefined {
  if (/^\s*\d+(?:\t|→)/.test(wanted) && wanted.split('\n').every((line) => /^\s*\d+(?:\t|→)|^\s*$/.test(line))) {
    return 'Leave out the line numbers that Read puts before each line.';
  }
  if (text.length > LONGEST) return undefined;
  const alike = lineOf(text, wanted, loosened);
  if (alike !== undefined) return `What stands at line ${alike} differs only in white space or quotation marks.`;
  const cased = lineOf(text, wanted, (line) => loosened(line).toLowerCase());
  return cased === undefined ? undefined : `What stands at line ${cased} differs only in upper and lower case.`;
}

const LONGEST = 1 << 20;

function loosened(line: string): string {
  return line
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The line at which the same lines begin, when each is looked at in this way. */
function lineOf(text: string, wanted: string, look: (line: string) => string): number | undefined {
  const needle = wanted.split('\n').map(look).join('\n').trim();
  if (needle === '') return undefined;
  const place = text.split('\n').map(look).join('\n').indexOf(needle);
  if (place < 0) return undefined;
  return text.split('\n').map(look).join('\n').slice(0, place).split('\n').length;
}
