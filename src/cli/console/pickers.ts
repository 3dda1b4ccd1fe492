/** Lists to choose from: sessions, earlier prompts, models. What is in them is asked of the verbs. */
import { asArray, asNumber, asObject, asString, isObject, type JsonObject, parseJson } from '../../format/json.ts';
import { counted } from '../../views/counted.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { ago, homePath } from '../layout.ts';
import { dialogOf } from './dialog.ts';
import type { VerbRan } from './host.ts';
import { broken, fit } from './lines.ts';
import { createPreviews } from './previews.ts';
import type { SlashHost } from './slash.ts';

function told(slash: SlashHost, err: string): undefined {
  const what = /^skein: (.*)$/m.exec(err)?.[1] ?? 'That did not work.';
  const next = /^ *next: (.*)$/m.exec(err)?.[1];
  slash.app.put({ kind: 'note', tone: 'bad', text: next === undefined ? what : `${what}\n${next}` });
}

function objectsIn(out: string, name: string): JsonObject[] {
  return (asArray(asObject(parseJson(out))?.[name]) ?? []).filter(isObject);
}

/** Those of this folder first. */
export async function pickSession(slash: SlashHost): Promise<void> {
  const { app, host } = slash;
  app.hint('looking…');
  const { code, out, err } = await host.verb(['list', '--json']);
  if (code > 1) return told(slash, err);
  const now = slash.agent()?.sessionId;
  const chats = objectsIn(out, 'chats')
    .flatMap((chat) => rowOf(chat, host.cwd))
    .filter(({ id }) => id !== now)
    .sort((a, b) => Number(b.isHere) - Number(a.isHere));
  const options = chats.map(({ title, when, isHere, cwd }) => ({
    label: fit(safeLine(title), 60),
    note: [ago(when, new Date(host.now())), ...(isHere ? [] : [homePath(cwd, host.home)])].join(' · '),
  }));
  const { palette } = slash;
  const previews = createPreviews(host, () => app.screen.requestRender());
  const body = (width: number, index: number) => {
    const chat = chats[index];
    if (chat === undefined) return [];
    const preview = previews.of(chat, width);
    if (preview !== undefined) return preview;
    const facts = `${counted(chat.turns, 'turn')} · ${safeLine(homePath(chat.cwd, host.home))}${chat.gitBranch === '' ? '' : ` · ⎇ ${safeLine(chat.gitBranch)}`}`;
    return [...broken(chat.title, width).slice(0, 3), palette.dim(fit(facts, width))];
  };
  const dialog = dialogOf({ title: 'Go on with a session', options, filter: '', body, isPreviewed: true });
  const chosen = await app.choose(dialog);
  previews.stop();
  const chat = chosen && chats[chosen.index];
  if (chat !== undefined) await slash.change({ kind: 'resume', file: chat.file }, `Going on with: ${chat.title}`);
}

interface Row {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly cwd: string;
  readonly gitBranch: string;
  readonly when: string | undefined;
  readonly turns: number;
  readonly bytes: number;
  readonly isHere: boolean;
}

/** The newest file of a chat that is on the disk. */
function rowOf(chat: JsonObject, here: string): Row[] {
  const sessions = (asArray(chat.sessions) ?? []).filter(isObject);
  const session = sessions.findLast(({ source, superseded }) => source === 'disk' && superseded !== true);
  const [id, file] = [asString(session?.id), asString(session?.file)];
  if (id === undefined || file === undefined) return [];
  const cwd = asString(chat.cwd) ?? asString(chat.project) ?? '';
  return [
    {
      id,
      file,
      title: asString(chat.title) ?? '(nothing was said)',
      cwd,
      gitBranch: chat.gitBranch === 'HEAD' ? '' : (asString(chat.gitBranch) ?? ''),
      when: asString(chat.updated),
      turns: asNumber(chat.turns) ?? 0,
      bytes: asNumber(chat.bytes) ?? 0,
      isHere: cwd === here,
    },
  ];
}

/** Back to before a prompt: the conversation, the files, or both. */
export async function pickRewind(slash: SlashHost): Promise<void> {
  const { app, host } = slash;
  const agent = slash.agent();
  if (agent === undefined) return;
  app.hint('looking…');
  const { code, out, err } = await host.verb(['show', agent.sessionId, '--json', '--tools', 'none', '--reveal']);
  const turns = objectsIn(out, 'turns').filter(
    ({ uuid, prompt }) => typeof uuid === 'string' && asString(prompt) !== undefined,
  );
  if (turns.length === 0) {
    if (code > 1) return told(slash, err);
    app.put({ kind: 'note', tone: 'dim', text: 'Nothing was said yet: there is nothing to go back to.' });
    return;
  }
  const rows = turns.toReversed();
  const options = rows.map(({ prompt, started }) => ({
    label: fit(safeLine(asString(prompt) ?? ''), 60),
    note: ago(asString(started), new Date(host.now())),
  }));
  const chosen = await app.choose(dialogOf({ title: 'Back to before which prompt?', options, filter: '' }));
  const turn = chosen && rows[chosen.index];
  if (turn === undefined) return;
  await rewindTo(slash, asString(turn.uuid) ?? '', asString(turn.prompt) ?? '', turns.length > 1 && turn !== turns[0]);
}

const WAYS = ['--both', '--conversation', '--files'] as const;

async function rewindTo(slash: SlashHost, uuid: string, prompt: string, hasBefore: boolean): Promise<void> {
  const { app } = slash;
  const agent = slash.agent();
  if (agent === undefined) return;
  const options = [
    { label: 'Conversation and files', key: 'b' },
    { label: 'Conversation alone', key: 'c' },
    { label: 'Files alone', key: 'f' },
  ];
  const chosen = await app.choose(
    dialogOf({ title: 'What should be as it was?', options, body: (width) => [fit(`❯ ${safeLine(prompt)}`, width)] }),
  );
  const way = chosen && WAYS[chosen.index];
  if (way === undefined) return;
  const { sessionId, file } = agent;
  // Before the first prompt there is nothing to hang a conversation on: that is a new session.
  const isFresh = !hasBefore && way !== '--files';
  const how = isFresh ? '--files' : way;
  await slash.leave();
  const { code, out, err } = await rewindBy(
    slash,
    sessionId,
    uuid,
    isFresh && way === '--conversation' ? undefined : how,
  );
  if (code !== 0) told(slash, err);
  const words = code === 0 ? rewound(out, way) : 'Nothing was changed.';
  await slash.change(code === 0 && isFresh ? { kind: 'new' } : { kind: 'resume', file }, words);
  if (code === 0 && way !== '--files') app.editor.setText(safeText(prompt));
}

/** A prompt of which no files were kept changed none: then the conversation goes back alone. */
async function rewindBy({ host }: SlashHost, id: string, uuid: string, how: string | undefined): Promise<VerbRan> {
  if (how === undefined) return { code: 0, out: '{}', err: '' };
  const ran = await host.verb(['rewind', id, '--to', uuid, how, '--json']);
  if (ran.code === 0 || how !== '--both' || !ran.err.includes('kept no files')) return ran;
  return host.verb(['rewind', id, '--to', uuid, '--conversation', '--json']);
}

function rewound(out: string, way: string): string {
  const files = (asArray(asObject(parseJson(out))?.files) ?? []).filter(isObject);
  const changed = files.filter(({ change }) => change === 'restore' || change === 'remove').length;
  const parts = [
    ...(way === '--files' ? [] : ['The conversation goes on from before that prompt.']),
    ...(way === '--conversation'
      ? []
      : [`${changed} ${changed === 1 ? 'file is' : 'files are'} as before it; skein undo takes that back.`]),
  ];
  return parts.join(' ');
}

const MODELS = [
  ['opus', 'the most able'],
  ['sonnet', 'able and quick'],
  ['haiku', 'the quickest'],
] as const;

/** Gives what to say to the agent; undefined when nothing was chosen. */
export async function pickModel(slash: SlashHost): Promise<string | undefined> {
  const now = slash.agent()?.model ?? '';
  const options = [
    ...MODELS.map(([label, note]) => ({ label, note })),
    { label: 'Another', takesWords: 'its full name' },
  ];
  const title = `Which model? Now: ${safeLine(now)}`;
  const chosen = await slash.app.choose(dialogOf({ title, options }));
  const name = chosen === undefined ? '' : (MODELS[chosen.index]?.[0] ?? chosen.words);
  return name === '' ? undefined : `/model ${name}`;
}
