/** What was written, and how to go on with it. */
import type { EditAnswer, EditVerb } from '../app/answers.ts';
import { hrefOf } from '../app/router.ts';
import { copyText } from '../parts/clipboard.ts';
import { Icon } from '../parts/icons.tsx';
import { Text } from '../parts/Text.tsx';
import { Sizes } from './Plan.tsx';

const DID: Readonly<Record<EditVerb, string>> = { slim: 'Slimmed', clone: 'Cloned', repair: 'Repaired' };

export function Done({
  answer,
  verb,
  say,
  onClose,
}: {
  readonly answer: EditAnswer;
  readonly verb: EditVerb;
  readonly say: (text: string) => void;
  readonly onClose: () => void;
}) {
  const { title, sessionId, resume, chat } = answer;
  return (
    <div class="edit" role="status">
      <p>
        <Icon name="check" /> {DID[verb]}: <Text text={title ?? sessionId} />
      </p>
      <Sizes plan={answer} />
      <p class="quiet small">Go on with it:</p>
      <div class="edit-command">
        <code dir="ltr">{resume}</code>
        <button
          type="button"
          class="icon-button"
          aria-label="Copy the resume command"
          title="Copy"
          onClick={async () => say((await copyText(resume)) ? 'Copied the resume command' : 'Could not copy')}
        >
          <Icon name="copy" />
        </button>
      </div>
      <p class="quiet small">
        Session <code>{sessionId.slice(0, 8)}</code>. As a copy it belongs to this chat; the map shows its sessions.
      </p>
      <div class="edit-buttons">
        {chat !== null && (
          <a class="button" href={hrefOf({ page: 'chat', id: chat })} onClick={onClose}>
            Open the chat
          </a>
        )}
        <button type="button" class="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
