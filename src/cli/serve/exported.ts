/** A chat as a file to keep or share: what `skein export` writes. */
import type { Download, ExportAsk, ExportFormat } from '../../server/questions.ts';
import type { ListedChat } from '../chats.ts';
import { fileName } from '../export/save.ts';
import { type Children, toldIn } from './children.ts';

const TYPES: Readonly<Record<ExportFormat, string>> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

export async function exported(
  children: Children,
  { id, title, file }: ListedChat,
  format: ExportFormat,
  { mask, signal }: ExportAsk,
): Promise<Download> {
  const rest = [file.file];
  const { code, out, err } = await children.run(['export', format, '--to', '-', '--yes'], { rest, signal });
  if (code !== 0) throw toldIn(err, code ?? 1);
  return { name: fileName(title === undefined ? undefined : mask(title), id, format), type: TYPES[format], body: out };
}
