/** What an exported page carries in itself. */
import type { EmbeddedChat } from '../page/embedded.ts';

export interface ExportedData {
  readonly chat: EmbeddedChat;
  /** Sentences on where the file comes from, what was masked and what was left out. */
  readonly about: readonly string[];
  readonly found: readonly {
    readonly kind: string;
    readonly placeholder: string;
    readonly count: number;
    readonly preview: string;
  }[];
  /** Shown step by step. */
  readonly replay: boolean;
}
