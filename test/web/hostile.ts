/** Transcripts that try everything: each payload in every place where an entry can hold text. */
import type { Json, JsonObject } from '../../src/format/json.ts';
import { assistant, attachment, result, system, text, thinking, toolUse, user } from '../support/build.ts';
import { sessionLines } from './sets.ts';

/** Set by any script that gets to run. */
export const TRAP = 'window.__pwned=1;alert(1)';

export const PAYLOADS: readonly string[] = [
  `<script>${TRAP}</script>`,
  `"><script>${TRAP}</script>`,
  `</script><script>${TRAP}</script><!--`,
  `</pre></code></div><img src=x onerror="${TRAP}">`,
  `<img src="https://evil.example/pixel.png" onerror="${TRAP}">`,
  `<svg onload="${TRAP}"><script href="https://evil.example/x.js"></script><animate onbegin="${TRAP}" attributeName=x dur=1s></svg>`,
  `<svg><a xlink:href="javascript:${TRAP}"><text x=1 y=9>x</text></a></svg>`,
  '<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object><embed src="https://evil.example/">',
  '<style>@import url(https://evil.example/a.css); body{background:url(https://evil.example/b.png)}</style>',
  '<link rel=stylesheet href=//evil.example/c.css><base href=https://evil.example/>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  `<form action=https://evil.example/><input name=x autofocus onfocus="${TRAP}"></form>`,
  `<details open ontoggle="${TRAP}"><summary>x</summary></details><video src=x onerror="${TRAP}"></video>`,
  `[click](javascript:${TRAP}) [click](JaVaScRiPt:${TRAP}) [click](java\tscript:${TRAP}) [click]( javascript:${TRAP} )`,
  `[click](data:text/html,<script>${TRAP}</script>) [click](vbscript:x) [click](file:///etc/passwd) [click](//evil.example/)`,
  '![pixel](https://evil.example/pixel.png) ![x](x" onerror="alert(1)) ![d](data:image/svg+xml,<svg/onload=alert(1)>)',
  `<javascript:${TRAP}> <https://evil.example/auto> [ref] [other][ref]\n\n[ref]: javascript:${TRAP}`,
  `\`\`\`"><script>${TRAP}</script>\nlet x = "<img src=x onerror=${TRAP}>";\n\`\`\`\n\n\`\`\`html\n<script>${TRAP}</script>\n\`\`\``,
  `| a | b |\n|---|---|\n| <img src=x onerror=${TRAP}> | [x](javascript:${TRAP}) |`,
  `\x1b]8;;javascript:${TRAP}\x07click\x1b]8;;\x07 \x1b]0;pwned\x07 \x1b[31mred\x1b[0m \x1b[2J\x1b[H \x1bP1;1|x\x1b\\ \x9b31m \x1b[38;2;1;2;3mrgb \x1b[38;5;999m \x1b[999999999999mx`,
  '\u202Eevil\u202C \u2028 \u2029 \u0000 \uD800 \uFEFF &lt;b&gt; &#x3C;script&#x3E;',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a page that took it for a template would run it
  '{{constructor.constructor("alert(1)")()}} ${alert(1)} __proto__ constructor',
  `[aws-key:0000] [password] [password:beef]<script>${TRAP}</script>`,
];

/** Tools with the names of what every object has, and those whose results have a shape. */
const TOOLS: readonly [string, (bad: string) => JsonObject, (bad: string) => Json][] = [
  [
    'Bash',
    (bad) => ({ command: bad, description: bad }),
    (bad) => ({ stdout: bad, stderr: bad, interrupted: false, isImage: false }),
  ],
  [
    'Read',
    (bad) => ({ file_path: bad }),
    (bad) => ({
      type: 'text',
      file: { filePath: `${bad}.html`, content: bad, startLine: 1, numLines: 1, totalLines: 1 },
    }),
  ],
  [
    'Edit',
    (bad) => ({ file_path: bad, old_string: bad, new_string: bad }),
    (bad) => ({
      filePath: bad,
      oldString: bad,
      newString: bad,
      structuredPatch: [
        { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${bad}`, `+${bad}`, ` ${bad}`] },
      ],
    }),
  ],
  [
    'Write',
    (bad) => ({ file_path: bad, content: bad }),
    (bad) => ({ type: 'create', filePath: bad, content: bad, structuredPatch: [] }),
  ],
  ['Glob', (bad) => ({ pattern: bad }), (bad) => ({ filenames: [bad, bad], numFiles: 2, truncated: false })],
  ['Grep', (bad) => ({ pattern: bad }), (bad) => ({ mode: 'content', content: bad, filenames: [], numFiles: 0 })],
  [
    'TodoWrite',
    (bad) => ({ todos: [{ content: bad, status: bad, activeForm: bad }] }),
    (bad) => ({
      oldTodos: [{ content: `${bad}?`, status: 'pending', activeForm: bad }],
      newTodos: [{ content: bad, status: bad, activeForm: bad }],
    }),
  ],
  [
    'WebSearch',
    (bad) => ({ query: bad }),
    (bad) => ({
      query: bad,
      results: [
        {
          tool_use_id: 'x',
          content: [
            { title: bad, url: `javascript:${TRAP}` },
            { title: bad, url: bad },
          ],
        },
        bad,
      ],
    }),
  ],
  ['WebFetch', (bad) => ({ url: `javascript:${TRAP}`, prompt: bad }), (bad) => ({ url: bad, result: bad, code: 200 })],
  [
    'AskUserQuestion',
    (bad) => ({ questions: [{ question: bad, header: bad, options: [{ label: bad, description: bad }] }] }),
    (bad) => ({ questions: [{ question: bad }], answers: { [bad]: bad } }),
  ],
  ['ExitPlanMode', (bad) => ({ plan: bad }), (bad) => ({ plan: bad })],
  [
    'Task',
    (bad) => ({ description: bad, prompt: bad, subagent_type: bad }),
    (bad) => ({ content: [{ type: 'text', text: bad }], totalTokens: 1 }),
  ],
  [
    'NotebookEdit',
    (bad) => ({ notebook_path: bad, new_source: bad }),
    (bad) => ({ notebook_path: bad, new_source: bad, cell_type: 'code' }),
  ],
  ['constructor', (bad) => ({ [bad]: bad, deep: [{ [bad]: [bad, { __proto__: bad }] }] }), (bad) => ({ [bad]: bad })],
  ['mcp__<script>__x', (bad) => ({ x: bad }), (bad) => [{ type: 'text', text: bad }]],
];

/** Every payload in every place; the tools take turns. */
export function hostileLines(session: number): JsonObject[] {
  const lines: JsonObject[] = [];
  PAYLOADS.forEach((bad, place) => {
    lines.push(
      user([text(bad), text(`<system-reminder>${bad}</system-reminder>`)]),
      assistant([thinking(bad), text(bad)], { id: `msg_${place}`, stop: 'tool_use', model: bad }),
    );
    TOOLS.forEach(([name, input, record], tool) => {
      const id = `toolu_${place}_${tool}`;
      lines.push(
        assistant([toolUse(id, name, input(bad))], { id: `msg_${place}_${tool}`, stop: 'tool_use' }),
        result(
          id,
          [
            text(bad),
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/svg+xml', data: btoa('<svg onload="alert(1)"/>') },
            },
          ],
          {
            toolUseResult: record(bad),
            ...(tool % 5 === 4 && { isError: true }),
          },
        ),
      );
    });
    lines.push(
      system('informational', { content: bad, level: 'info' }),
      system('local_command', { content: `<command-name>${bad}</command-name><command-args>${bad}</command-args>` }),
      attachment('queued_command', { prompt: bad }),
      user(`<bash-stdout>${bad}</bash-stdout><bash-stderr>${bad}</bash-stderr>`),
      system('compact_boundary', { content: bad, compactMetadata: { trigger: bad, preTokens: 1000 } }),
      user(`This session is being continued from a previous conversation. ${bad}`, { isCompactSummary: true }),
      assistant(bad, { id: `msg_${place}_error`, model: '<synthetic>' }, { isApiErrorMessage: true }),
    );
  });
  lines.push({ type: 'custom-title', customTitle: PAYLOADS[3] ?? '' });
  return sessionLines(session, lines).map((line, place) => ({
    ...line,
    ...(place % 7 === 0 && 'gitBranch' in line && { gitBranch: PAYLOADS[place % PAYLOADS.length] ?? '' }),
  }));
}
