/** `skein context`: exactly what a resume would send to the model next. */
import { readSessionOf } from '../../disk/read.ts';
import { plainText } from '../../format/content.ts';
import type { Entry } from '../../format/entry.ts';
import { asString } from '../../format/json.ts';
import { type ApiMessage, context as contextOf } from '../../graph/context/context.ts';
import { validate } from '../../graph/validate.ts';
import { safeLine } from '../../views/safe.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { writeJsonList } from '../jsonout.ts';
import { cut, humanBytes } from '../layout.ts';
import { type Masking, openMask, REVEAL_OPTION } from '../mask.ts';
import { selectOne } from '../select.ts';
import { sourceOf, tellSources } from '../sources.ts';

export const context: Command = {
  name: 'context',
  usage: 'SEL [--prompt TEXT] [--model MODEL]',
  summary: 'what a resume would send to the model next',
  details: [
    'Rebuilds the messages that the client sends when it resumes the session, by the rules R1 to R15 in docs/format.md: the branch that goes on, gaps bridged, parallel calls joined, compaction applied. Whatever the API would refuse (rules A) is left out.',
    'With --json it prints {"messages":[…]}. With --reveal they are exactly what would be sent; without it secrets in them are masked, and nothing else differs.',
  ],
  options: {
    prompt: { type: 'string', value: 'TEXT', help: 'What would be said next; without it, the history as it stands' },
    model: {
      type: 'string',
      value: 'MODEL',
      help: 'The model that would be asked (default: the one that answered last); another one gets no thinking',
    },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein context @last', 'an overview of what the model would see'],
    ['skein context 4f0c --prompt "go on" --json --reveal', 'the messages of the next request'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(cli: Context, args: Arguments): Promise<number> {
  const prompt = args.value('prompt');
  if (prompt?.trim() === '')
    throw new UsageError('An empty prompt cannot be sent.', '--prompt ""', 'Say something, or leave --prompt out.');
  const { file } = selectOne(cli, args);
  tellSources(cli, [file]);
  const { entries } = readSessionOf(file.file);
  const history = file.kind === 'agent' ? entries.map(asMain) : entries;
  const { messages, model } = contextOf(history, { prompt, model: args.value('model') });
  const mask = await openMask(cli, args);
  if (args.flag('json'))
    await writeJsonList(cli, mask, { model: model ?? null, source: sourceOf(file) }, 'messages', () => messages);
  else writeOverview(cli, mask, messages, model);
  return messages.length > 0 ? 0 : 1;
}

/** In a sub-agent's own file the side chain is the conversation. */
function asMain(entry: Entry): Entry {
  return { ...entry, head: { ...entry.head, isSidechain: false } };
}

function writeOverview(
  { out, err }: Context,
  mask: Masking,
  messages: readonly ApiMessage[],
  model: string | undefined,
): void {
  const line = (message: ApiMessage, index: number) => {
    const number = out.style.dim(String(index + 1).padStart(4));
    const role = message.role === 'user' ? out.style.bold('user     ') : out.style.accent('assistant');
    const said = safeLine(mask(message.content.map(blockText).join(' · ')));
    return `${number} ${role} ${cut(said, out.columns - 16)}\n`;
  };
  const size = humanBytes(Buffer.byteLength(JSON.stringify(messages)));
  const whose = () => safeLine(mask(model ?? 'any model'));
  const last = () => out.style.dim(`${messages.length} messages, ${size} for ${whose()}\n`);
  for (const text of mask.settled(() => [...messages.map(line), last()])) out.write(text);
  for (const issue of validate(messages)) err.write(`${err.style.bad(issue.rule)} ${safeLine(mask(issue.what))}\n`);
}

function blockText(block: ApiMessage['content'][number]): string {
  switch (block.type) {
    case 'text':
      return asString(block.text) ?? '';
    case 'thinking':
      return '[thinking]';
    case 'tool_use':
      return `[${asString(block.name)} ${asString(block.id)}]`;
    case 'tool_result':
      return `[result of ${asString(block.tool_use_id)}] ${plainText(block.content)}`;
    default:
      return `[${asString(block.type)}]`;
  }
}
