/** What the demo's model says: a small job in a small folder that shows every screen. */
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';

export interface DemoAnswer {
  readonly blocks: readonly JsonObject[];
  /** Tokens a second. */
  readonly pace: number;
}

/** The files it works with. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  'README.md': '# Greeter\n\nSays hello. Run it with `node greet.mjs NAME`, test it with `node test.mjs`.\n',
  'greet.mjs':
    "export function greet(name) {\n  return 'Hello ' + name;\n}\n\nif (process.argv[2]) console.log(greet(process.argv[2]));\n",
  'test.mjs':
    "import { greet } from './greet.mjs';\n\nfor (const name of ['Ada', '世界', '']) {\n  const said = greet(name);\n  console.log(said === ['Hello, ', name || 'you', '!'].join('') ? 'ok  ' : 'FAIL', said);\n  await new Promise((done) => setTimeout(done, 400));\n}\n",
};

const text = (words: string): JsonObject => ({ type: 'text', text: words });
const thinking = (words: string): JsonObject => ({ type: 'thinking', thinking: words, signature: 'ZGVtbw==' });
let calls = 0;
const use = (name: string, input: JsonObject): JsonObject => {
  calls += 1;
  return { type: 'tool_use', id: `toolu_demo${String(calls).padStart(4, '0')}`, name, input };
};

const todos = (done: number): JsonObject => ({
  todos: [
    ['Read the greeter', 'Reading the greeter'],
    ['Mend the greeting', 'Mending the greeting'],
    ['Run the test', 'Running the test'],
  ].map(([content = '', activeForm = ''], i) => ({
    content,
    activeForm,
    status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending',
  })),
});

const HELLO = `This is **Skein's demo**: a model that only follows a script, on this machine. Nothing is sent anywhere, and the folder is a throwaway one.

Write one of these and press Enter:

- \`mend it\`: reads, thinks, keeps a list, asks before it edits and runs, shows the change
- \`ask me\`: a question with answers to choose from
- \`explore\`: two agents side by side
- \`long\`: a long answer with code; stop it with **Esc**, or write something while it runs
- \`plan\`: a plan to approve

Or try \`/help\`, \`@\` for files, \`!ls\` for a command of your own, **Esc Esc** to go back.`;

const LONG = `## A tour of streaming

Each block is written **once** it is complete and then belongs to your terminal: scroll, select and copy as usual. Only the last lines are live.

\`\`\`ts
/** The nth number of Fibonacci. */
export function fibonacci(n: number): bigint {
  let [a, b] = [0n, 1n];
  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b];
  return a; // never recursive: that would take for ever
}
\`\`\`

| what | where | since |
|---|---|---|
| 宽字符 | two columns each | always |
| emoji 🧶 | two as well | mostly |

1. Lists keep their numbers.
2. Long lines are broken between words, so that they can be read in a window of any width, sixty columns included.
3. \`code\`, *emphasis* and [links](https://example.com) are told apart.

> What is quoted stands aside.

`;

/** By what was said last, and how far the turn is. */
export function demoAnswer(messages: readonly Json[], system: string): DemoAnswer {
  const { prompt, results } = turnOf(messages);
  if (/report back/i.test(system) || /^Look for /.test(prompt)) return agentAnswer(prompt, results);
  const word = prompt.toLowerCase();
  if (/\bmend\b|\bfix\b/.test(word)) return mending(results);
  if (/\bask\b/.test(word)) return asking(results);
  if (/\bexplore\b/.test(word)) return exploring(results);
  if (/\bplan\b/.test(word)) return planning(results);
  if (/\blong\b/.test(word)) return { blocks: [text(LONG.repeat(4))], pace: 200 };
  return { blocks: [text(HELLO)], pace: 400 };
}

function mending(results: number): DemoAnswer {
  const steps: readonly (readonly JsonObject[])[] = [
    [
      thinking(
        'They want the greeting mended. First I read what is there, then change as little as possible and run the test.',
      ),
      text('I read the greeter first.'),
      use('TodoWrite', todos(0)),
      use('Read', { file_path: 'greet.mjs' }),
    ],
    [
      text('It forgets the comma, the mark at the end, and people without a name.'),
      use('TodoWrite', todos(1)),
      use('Edit', {
        file_path: 'greet.mjs',
        old_string: "  return 'Hello ' + name;",
        new_string: "  const who = name || 'you';\n  return ['Hello, ', who, '!'].join('');",
      }),
    ],
    [use('TodoWrite', todos(2)), use('Bash', { command: 'node test.mjs', description: 'Run the test' })],
    [use('TodoWrite', todos(3))],
    [text('Mended: **all three** greetings come out right. The change is three lines in `greet.mjs`.')],
  ];
  return { blocks: step(steps, results, [2, 4, 6, 7]), pace: 150 };
}

function asking(results: number): DemoAnswer {
  const question = {
    question: 'How should the greeter speak to people it does not know?',
    header: 'Greeting',
    multiSelect: false,
    options: [
      { label: 'Politely', description: 'Good day to you' },
      { label: 'Briefly', description: 'Hi' },
      { label: 'Not at all', description: 'silence is golden' },
    ],
  };
  const steps = [[use('AskUserQuestion', { questions: [question] })], [text('Noted. That is how it will speak.')]];
  return { blocks: step(steps, results, [1]), pace: 150 };
}

function exploring(results: number): DemoAnswer {
  const agent = (description: string, prompt: string) =>
    use('Agent', { description, prompt, subagent_type: 'Explore' });
  const steps = [
    [
      text('Two agents look at the same time.'),
      agent('Look at the code', 'Look for what the greeter does.'),
      agent('Look at the test', 'Look for what the test expects.'),
    ],
    [text('Both came back: the code and its test disagree about the comma.')],
  ];
  return { blocks: step(steps, results, [2]), pace: 150 };
}

function agentAnswer(prompt: string, results: number): DemoAnswer {
  const file = prompt.includes('test') ? 'test.mjs' : 'greet.mjs';
  const steps = [
    [use('Glob', { pattern: '*.mjs' })],
    [use('Read', { file_path: file })],
    [text(`${file} was read; it is short and plain.`)],
  ];
  return { blocks: step(steps, results, [1, 2]), pace: 40 };
}

function planning(results: number): DemoAnswer {
  const plan =
    '# Mend the greeter\n\n1. Read `greet.mjs` and `test.mjs`.\n2. Put the comma and the mark in.\n3. Run `node test.mjs`.\n';
  const steps = [
    [use('EnterPlanMode', {})],
    [use('Read', { file_path: 'greet.mjs' })],
    [use('ExitPlanMode', { plan })],
    [text('The plan is settled; say `mend it` to see it done.')],
  ];
  return { blocks: step(steps, results, [1, 2, 3]), pace: 150 };
}

/** `after`: how many results stand before each further step. */
function step(
  steps: readonly (readonly JsonObject[])[],
  results: number,
  after: readonly number[],
): readonly JsonObject[] {
  return steps[after.filter((count) => results >= count).length] ?? [];
}

/** What the person said last, and how many results came since. */
function turnOf(messages: readonly Json[]): { readonly prompt: string; readonly results: number } {
  let [prompt, results] = ['', 0];
  for (const message of messages) {
    const { role, content } = asObject(message) ?? {};
    if (role !== 'user') continue;
    const blocks = typeof content === 'string' ? [text(content)] : (asArray(content)?.filter(isObject) ?? []);
    const said = blocks.flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : []));
    const own = said.findLast((words) => !/^\s*<(?:system-reminder|command-|local-command)/.test(words));
    const came = blocks.filter(({ type }) => type === 'tool_result').length;
    if (came > 0) results += came;
    else if (own !== undefined) [prompt, results] = [own, 0];
  }
  return { prompt, results };
}
