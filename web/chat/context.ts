/** What the parts of an open chat share. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../app/api.ts';

export interface ChatContext {
  readonly api: Api;
  readonly id: string;
  readonly branch: number;
  /** Secrets that were asked for: placeholder → what it stands for. */
  readonly revealed: ReadonlyMap<string, string>;
  readonly reveal: (placeholder: string) => void;
  /** What was unfolded, by key. */
  readonly opened: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  /** Tells the reader something in passing. */
  readonly say: (text: string) => void;
  /** Copies a link to an entry. */
  readonly copyLink: (uuid: string) => void;
  /** Makes a session of its own of all up to a turn, by its number. */
  readonly cloneTo: (turn: number) => void;
}

export const ChatContext = createContext<ChatContext | null>(null);

export function useChatContext(): ChatContext {
  const context = useContext(ChatContext);
  if (context === null) throw new Error('outside of a chat');
  return context;
}
