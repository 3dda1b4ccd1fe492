/** `toolUseResult` of the tools that read and change files. */
import {
  asArray,
  asBoolean,
  asNumber,
  asObject,
  asString,
  isObject,
  type Json,
  type JsonObject,
} from '../../format/json.ts';

/** One hunk of a `structuredPatch`; lines begin with a space, `-` or `+`. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

export interface ReadResult {
  readonly kind: 'read';
  /** text, image, pdf, notebook, … as written; `file` in older transcripts, with the content alone (E16). */
  readonly media: string;
  readonly filePath?: string;
  readonly content?: string;
  readonly startLine?: number;
  readonly numLines?: number;
  readonly totalLines?: number;
}

export interface WriteResult {
  readonly kind: 'write';
  /** create or update */
  readonly type?: string;
  readonly filePath: string;
  readonly content?: string;
  readonly patch: readonly Hunk[];
  /** null: the file is new. undefined: not recorded. */
  readonly originalFile?: string | null;
}

export interface EditResult {
  readonly kind: 'edit';
  readonly filePath: string;
  readonly edits: readonly { readonly oldString: string; readonly newString: string; readonly replaceAll: boolean }[];
  readonly patch: readonly Hunk[];
  readonly originalFile?: string;
  /** The person changed the edit before accepting it. */
  readonly userModified?: boolean;
}

export interface NotebookEditResult {
  readonly kind: 'notebook_edit';
  readonly notebookPath?: string;
  readonly cellId?: string;
  readonly cellType?: string;
  readonly editMode?: string;
  readonly newSource: string;
  readonly error?: string;
}

export function readResult(result: JsonObject): ReadResult | undefined {
  const media = asString(result.type);
  if (media === undefined || result.file === undefined) return undefined;
  if (typeof result.file === 'string') return { kind: 'read', media, content: result.file };
  const file = asObject(result.file) ?? {};
  return {
    kind: 'read',
    media,
    filePath: asString(file.filePath),
    content: asString(file.content) ?? asString(file.base64),
    startLine: asNumber(file.startLine),
    numLines: asNumber(file.numLines),
    totalLines: asNumber(file.totalLines),
  };
}

export function writeResult(result: JsonObject): WriteResult | undefined {
  const filePath = asString(result.filePath);
  if (filePath === undefined) return undefined;
  return {
    kind: 'write',
    type: asString(result.type),
    filePath,
    content: asString(result.content),
    patch: toPatch(result.structuredPatch),
    originalFile: result.originalFile === null ? null : asString(result.originalFile),
  };
}

/** Edit has one change, MultiEdit a list of them in the tool's own spelling. */
export function editResult(result: JsonObject): EditResult | undefined {
  const filePath = asString(result.filePath);
  if (filePath === undefined) return undefined;
  const edits = asArray(result.edits)?.filter(isObject) ?? [result];
  return {
    kind: 'edit',
    filePath,
    edits: edits.map(toEdit),
    patch: toPatch(result.structuredPatch),
    originalFile: asString(result.originalFile) ?? asString(result.originalFileContents),
    userModified: asBoolean(result.userModified),
  };
}

function toEdit(edit: JsonObject): EditResult['edits'][number] {
  return {
    oldString: asString(edit.oldString) ?? asString(edit.old_string) ?? '',
    newString: asString(edit.newString) ?? asString(edit.new_string) ?? '',
    replaceAll: edit.replaceAll === true || edit.replace_all === true,
  };
}

export function notebookEditResult(result: JsonObject): NotebookEditResult | undefined {
  const newSource = asString(result.new_source);
  if (newSource === undefined) return undefined;
  return {
    kind: 'notebook_edit',
    notebookPath: asString(result.notebook_path),
    cellId: asString(result.cell_id),
    cellType: asString(result.cell_type),
    editMode: asString(result.edit_mode),
    newSource,
    error: asString(result.error),
  };
}

export function toPatch(patch: Json | undefined): Hunk[] {
  return (asArray(patch) ?? []).filter(isObject).map((hunk) => ({
    oldStart: asNumber(hunk.oldStart) ?? 0,
    oldLines: asNumber(hunk.oldLines) ?? 0,
    newStart: asNumber(hunk.newStart) ?? 0,
    newLines: asNumber(hunk.newLines) ?? 0,
    lines: (asArray(hunk.lines) ?? []).filter((line) => typeof line === 'string'),
  }));
}
