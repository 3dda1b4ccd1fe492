/** An HTML file that needs nothing but itself: no server, no network. What may run is named by its hash, so nothing else does. */

export interface HtmlParts {
  readonly title: string;
  readonly style: Asset;
  /** Runs at the end of the body, with the data in the element `skein-data`. */
  readonly script?: Asset;
  readonly data?: unknown;
  /** Shown without a script; made of `html` parts. */
  readonly body: string;
}

export interface Asset {
  readonly text: string;
  /** `sha256-…` of the text. */
  readonly hash: string;
}

export function htmlDocument({ title, style, script, data, body }: HtmlParts): string {
  const policy = [
    "default-src 'none'",
    `style-src '${style.hash}'`,
    ...(script === undefined ? [] : [`script-src '${script.hash}'`]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Skein">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style.text}</style>
</head>
<body>
${body}
${data === undefined ? '' : `<script type="application/json" id="skein-data">${dataText(data)}</script>`}
${script === undefined ? '' : `<script>${script.text}</script>`}
</body>
</html>
`;
}

/** JSON that no parser of HTML takes for anything else: an element ends at `</`, a comment begins with `<!--`. */
export function dataText(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** Script or style that is to stand inside of its element. */
export function inlined(text: string): string {
  return text.replace(/<(?=\/(?:script|style)|!--)/gi, '\\x3c');
}
