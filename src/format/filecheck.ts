/** What a session says about its own place and name, held against where it lies: L2, H4, W3. */
import type { Entry } from './entry.ts';
import type { Severity } from './issue.ts';
import { projectSlug } from './slug.ts';

/** Takes a departure down. */
export type Note = (
  rule: string,
  severity: Severity,
  line: number,
  what: string,
  more?: { uuid?: string; fix?: string },
) => void;

/** Where the lines come from; what is not known is not checked. */
export interface Place {
  /** The file's name without `.jsonl`; of a session, not of a sub-agent. */
  readonly sessionId?: string;
  /** The project folder's name; only for a folder below `projects`. */
  readonly slug?: string;
}

export interface FileCheck {
  add(entry: Entry): void;
  /** After the last line. */
  end(): void;
}

/** Looks at each entry once and keeps a few lines' numbers. */
export function createFileCheck(place: Place, note: Note): FileCheck {
  let firstId: string | undefined;
  let scripted = false;
  let spoken: { line: number; sideOnly: boolean } | undefined;
  let foreign: { line: number; cwd: string } | undefined;
  let atHome = place.slug === undefined;

  function checkName({ head, line }: Entry): void {
    if (head.sessionId === undefined || firstId !== undefined) return;
    firstId = head.sessionId;
    if (firstId === place.sessionId) return;
    note('H4', 'info', line.number, 'the first session id is not the name of the file: copied, renamed or continued');
  }

  function checkFolder({ head, line }: Entry): void {
    if (atHome || head.cwd === undefined) return;
    atHome = gives(head.cwd, place.slug ?? '');
    foreign ??= { line: line.number, cwd: head.cwd };
  }

  function checkPicker({ head, kind, line }: Entry): void {
    if (head.entrypoint === 'sdk-cli' && !scripted) {
      scripted = true;
      note('W3', 'info', line.number, 'written by a script (entrypoint sdk-cli): the client does not offer it');
    }
    if (kind !== 'user' && kind !== 'assistant') return;
    spoken = { line: spoken?.line ?? line.number, sideOnly: (spoken?.sideOnly ?? true) && head.isSidechain };
  }

  return {
    add(entry) {
      checkFolder(entry);
      if (place.sessionId === undefined) return;
      checkName(entry);
      checkPicker(entry);
    },
    end() {
      if (!atHome && foreign !== undefined) {
        note('L2', 'info', foreign.line, `no cwd gives the name of the folder (the first is "${foreign.cwd}")`, {
          fix: 'the client looks for a session in the folder of its cwd',
        });
      }
      if (spoken?.sideOnly) {
        note('W3', 'info', spoken.line, "only a sub-agent's entries: the client does not offer it for resuming");
      }
    },
  };
}

/** Older versions did not shorten long names. */
function gives(cwd: string, slug: string): boolean {
  return projectSlug(cwd) === slug || cwd.replace(/[^A-Za-z0-9]/g, '-') === slug;
}
