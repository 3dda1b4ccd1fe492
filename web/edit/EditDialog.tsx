/** Slim, clone and repair: what would be written, then a button that writes it. What is there already stays as it is. */
import { useState } from 'preact/hooks';
import type { ChatPage } from '../../src/views/page/types.ts';
import type { EditAnswer, EditRequest, EditVerb } from '../app/answers.ts';
import type { Api, ApiError } from '../app/api.ts';
import { asApiError, useAnswer } from '../app/useAnswer.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Failed } from '../parts/Failed.tsx';
import { CloneChoices, RepairChoices, SessionChoice, SlimChoices, TitleField } from './Choices.tsx';
import { Done } from './Done.tsx';
import { Findings, Sizes, SlimPlan } from './Plan.tsx';

export interface Editing {
  readonly verb: EditVerb;
  /** The turn to end with, by its number. */
  readonly at?: number;
}

const TITLES: Readonly<Record<EditVerb, string>> = {
  slim: 'Slim the chat',
  clone: 'Clone the chat',
  repair: 'Repair the chat',
};

const ABOUT: Readonly<Record<EditVerb, string>> = {
  slim: 'A new session with less in its old turns, that still resumes. What was typed and answered stays.',
  clone: 'A new session that holds the same, up to a point if you like, to go on from there.',
  repair: 'A new session without what makes the client refuse this one or hide a part of it.',
};

export interface EditDialogProps {
  readonly api: Api;
  readonly page: ChatPage;
  readonly editing: Editing;
  readonly say: (text: string) => void;
  readonly onClose: () => void;
}

export function EditDialog({ api, page, editing, say, onClose }: EditDialogProps) {
  const { verb } = editing;
  const [options, setOptions] = useState(() => firstOptions(page, editing));
  const [title, setTitle] = useState('');
  const [session, setSession] = useState('');
  const of = session === '' ? {} : { session };
  const { id } = page.chat;
  const plan = useAnswer(JSON.stringify([verb, session, options]), (asked) =>
    api.edit(id, { verb, ...of, options, dryRun: true }, asked),
  );
  const { done, error, busy, write } = useWriting(api, id);
  if (done !== undefined) {
    return (
      <Dialog title={TITLES[verb]} onClose={onClose}>
        <Done answer={done} verb={verb} say={say} onClose={onClose} />
      </Dialog>
    );
  }
  const failure = error ?? plan.error;
  return (
    <Dialog title={TITLES[verb]} onClose={onClose}>
      <form
        class="edit"
        onSubmit={(event) => {
          event.preventDefault();
          void write({
            verb,
            ...of,
            options: { ...options, ...(title.trim() !== '' && { title: title.trim() }) },
            dryRun: false,
          });
        }}
      >
        <p class="quiet">{ABOUT[verb]} No file that is there is changed.</p>
        {page.sessions.length > 1 && <SessionChoice page={page} value={session} onChange={setSession} />}
        {verb === 'slim' && <SlimChoices options={options} presets={plan.value?.after.presets} onChange={setOptions} />}
        {verb === 'clone' && <CloneChoices page={page} options={options} onChange={setOptions} />}
        {verb === 'repair' && <RepairChoices options={options} onChange={setOptions} />}
        <div class="edit-plan" aria-live="polite" aria-busy={plan.loading}>
          {failure !== undefined ? (
            <Failed error={failure} />
          ) : plan.value === undefined ? (
            <div class="skeleton edit-skeleton" />
          ) : (
            <Plan verb={verb} plan={plan.value} />
          )}
        </div>
        <TitleField value={title} hint={plan.value?.title ?? ''} onChange={setTitle} />
        <div class="edit-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={busy || plan.loading || plan.value === undefined || isNothing(verb, plan.value)}
          >
            {busy ? 'Writing…' : 'Write the new session'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Plan({ verb, plan }: { readonly verb: EditVerb; readonly plan: EditAnswer }) {
  return (
    <>
      {verb === 'slim' && <SlimPlan plan={plan} />}
      <Findings plan={plan} verb={verb} />
      {!isNothing(verb, plan) && <Sizes plan={plan} />}
    </>
  );
}

/** The verb has nothing to write: nothing to repair, or it fits as it is. */
function isNothing(verb: EditVerb, { after }: EditAnswer): boolean {
  return (verb === 'repair' && after.findings === 0) || (verb === 'slim' && after.preset === undefined);
}

function firstOptions({ branches, branch }: ChatPage, { verb, at }: Editing): EditRequest['options'] {
  if (verb === 'slim') return { preset: 'standard' };
  if (verb === 'repair') return {};
  const isCurrent = branches[branch]?.current ?? true;
  return {
    ...((at !== undefined || !isCurrent) && { branch: String(branch + 1) }),
    ...(at !== undefined && { at: String(at) }),
  };
}

function useWriting(api: Api, id: string) {
  const [done, setDone] = useState<EditAnswer>();
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const write = async (request: EditRequest) => {
    setBusy(true);
    setError(undefined);
    try {
      setDone(await api.edit(id, request));
    } catch (why) {
      setError(asApiError(why));
    } finally {
      setBusy(false);
    }
  };
  return { done, error, busy, write };
}
