/** What a person sends in an editor, as the words and blocks of a prompt. */

import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk';
import type { TurnPrompt } from '../../agent/ports.ts';
import { pictureBlock } from '../../agent/tools/files/images.ts';
import type { JsonObject } from '../../format/json.ts';

/** Words and links stay one text, in their order, so that commands and mentions are found in it. */
export function promptOf(blocks: readonly ContentBlock[]): TurnPrompt['content'] {
  let words = '';
  const along: string[] = [];
  const images: JsonObject[] = [];
  /** A name stands apart from the words around it. */
  const mention = (name: string) => {
    words += `${/\S$/.test(words) ? ' ' : ''}${name} `;
  };
  for (const block of blocks) {
    if (block.type === 'text') words += block.text;
    else if (block.type === 'resource_link') mention(linkText(block));
    else if (block.type === 'image') addImage(images, along, block.mimeType, block.data);
    else if (block.type === 'audio') along.push('[A recording was left out: it cannot be sent to the model.]');
    else {
      // In a sentence it is named where it was put.
      const name = addResource(images, along, block);
      if (words !== '') mention(name);
    }
  }
  const text = [words.trimEnd(), ...along].filter((part) => part.trim() !== '').join('\n\n');
  if (images.length === 0) return text;
  return text === '' ? images : [{ type: 'text', text }, ...images];
}

function addImage(images: JsonObject[], along: string[], mimeType: string, data: string): void {
  const image = pictureBlock(Buffer.from(data, 'base64'));
  if (image !== undefined) images.push(image);
  else along.push(`[An image was left out: this ${mimeType || 'one'} cannot be sent to the model.]`);
}

function addResource(images: JsonObject[], along: string[], { resource }: EmbeddedResource): string {
  const { uri, mimeType } = resource;
  const name = pathIn(uri)?.path ?? uri;
  if ('blob' in resource) {
    if (mimeType?.startsWith('image/')) addImage(images, along, mimeType, resource.blob);
    else along.push(`[${name} was left out: only text and images can be sent.]`);
  } else along.push(`<resource uri="${uri.replaceAll('"', '%22')}">\n${resource.text}\n</resource>`);
  return name;
}

/** A file is mentioned as a person would do it: then it comes along as it is on the disk. */
function linkText({ uri, name }: ResourceLink): string {
  const found = pathIn(uri);
  if (found === undefined) return `[${name}](${uri})`;
  const { path, lines } = found;
  if (/[\n`@]/.test(path)) return path + lines;
  return `@${path.replaceAll(' ', '\\ ')}${lines === '' ? '' : ` (${lines.slice(1)})`}`;
}

/** `file:///a/b.ts#L3:9` and `/a/b.ts` alike. */
function pathIn(uri: string): { readonly path: string; readonly lines: string } | undefined {
  if (uri.startsWith('/')) return { path: uri, lines: '' };
  if (!URL.canParse(uri) || !uri.startsWith('file:')) return undefined;
  const url = new URL(uri);
  const lines = /^#L\d+/.test(url.hash) ? `#lines ${url.hash.slice(2).replace(/[:-]L?/, '-')}` : '';
  try {
    return { path: fileURLToPath(url), lines };
  } catch {
    return undefined;
  }
}
