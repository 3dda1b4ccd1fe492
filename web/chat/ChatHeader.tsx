/** What chat this is, and what can be done with it. */
import type { ChatPage } from '../../src/views/page/types.ts';
import type { EditVerb } from '../app/answers.ts';
import type { Api } from '../app/api.ts';
import { fullTime } from '../parts/clock.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/Menu.tsx';
import { Text } from '../parts/Text.tsx';
import { costText } from '../usage/amounts.ts';

export interface ChatHeaderProps {
  readonly api: Api;
  readonly page: ChatPage;
  readonly outline: boolean;
  readonly revealAll: boolean;
  readonly onOutline: () => void;
  readonly onMap: () => void;
  readonly onRevealAll: () => void;
  readonly onResume: () => void;
  readonly onOpenFile: () => void;
  readonly onPrint: () => void;
  readonly onEdit: (verb: EditVerb) => void;
  readonly onBranch: (branch: number) => void;
}

export function ChatHeader(props: ChatHeaderProps) {
  const { api, page, outline, revealAll } = props;
  const { chat } = page;
  return (
    <header class="chat-header">
      <div class="chat-title">
        <h1 dir="auto">
          <Text text={chat.title ?? chat.lastPrompt ?? 'Without a title'} />
        </h1>
        <p class="quiet small chat-facts">
          <span title={chat.project} dir="ltr">
            {chat.project.split(/[\\/]/).at(-1)}
          </span>
          {chat.gitBranch !== null && <span dir="ltr">{chat.gitBranch}</span>}
          <span>{fullTime(chat.updated)}</span>
          <span class="number">
            {chat.turns} {chat.turns === 1 ? 'prompt' : 'prompts'}
          </span>
          {chat.costUSD !== null && <span class="number">{costText(chat.costUSD)}</span>}
          {chat.marks.includes('live') && <span class="chip live">live</span>}
          {chat.source !== 'disk' && (
            <span class="chip">{chat.source === 'archive' ? 'from the archive' : 'prompts only'}</span>
          )}
        </p>
      </div>
      <div class="chat-actions">
        {page.branches.length > 1 && <Branches page={page} onBranch={props.onBranch} />}
        <button type="button" class="icon-button" aria-label="Map of the chat" title="Map (m)" onClick={props.onMap}>
          <Icon name="map" />
        </button>
        <button
          type="button"
          class="icon-button outline-toggle"
          aria-label="Outline"
          title="Outline (i)"
          aria-pressed={outline}
          onClick={props.onOutline}
        >
          <Icon name="outline" />
        </button>
        {api.served && (
          <button
            type="button"
            class="icon-button"
            aria-label={revealAll ? 'Hide secrets' : 'Show all secrets'}
            title={revealAll ? 'Hide secrets' : 'Show all secrets'}
            aria-pressed={revealAll}
            onClick={props.onRevealAll}
          >
            <Icon name="eye" />
          </button>
        )}
        {api.served && <Actions {...props} />}
      </div>
    </header>
  );
}

function Branches({ page, onBranch }: Pick<ChatHeaderProps, 'page' | 'onBranch'>) {
  return (
    <select
      class="button branches"
      aria-label="Branch"
      value={page.branch}
      onChange={(event) => onBranch(Number(event.currentTarget.value))}
    >
      {page.branches.map(({ prompt, current }, place) => (
        <option key={place} value={place}>
          {`${place + 1} of ${page.branches.length}${current ? ' (current)' : ''}${prompt === null ? '' : `: ${prompt.slice(0, 60)}`}`}
        </option>
      ))}
    </select>
  );
}

function Actions({ api, page, onResume, onOpenFile, onPrint, onEdit }: ChatHeaderProps) {
  const { resume, chat } = page;
  return (
    <Menu label="Actions" icon="more">
      <button
        type="button"
        onClick={onResume}
        disabled={resume.command === null}
        title={resume.command ?? resume.reason ?? ''}
      >
        <Icon name="terminal" /> Copy the resume command
      </button>
      {resume.command === null && resume.reason !== null && <p class="quiet small">{resume.reason}</p>}
      {(['html', 'md', 'json'] as const).map((format) => (
        <a key={format} href={api.exportUrl(chat.id, format) ?? undefined} download>
          <Icon name="download" /> Export as {{ html: 'HTML', md: 'Markdown', json: 'JSON' }[format]}
        </a>
      ))}
      <button type="button" onClick={onPrint}>
        <Icon name="file" /> Print
      </button>
      <button type="button" onClick={onOpenFile}>
        <Icon name="folder" /> Show the file
      </button>
      <button type="button" onClick={() => onEdit('slim')}>
        <Icon name="slim" /> Slim…
      </button>
      <button type="button" onClick={() => onEdit('clone')}>
        <Icon name="branch" /> Clone…
      </button>
      <button type="button" onClick={() => onEdit('repair')}>
        <Icon name="repair" /> Repair…
      </button>
    </Menu>
  );
}
