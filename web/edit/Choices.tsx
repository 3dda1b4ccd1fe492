/** What a person chooses before a session is written. */
import { useState } from 'preact/hooks';
import type { ChatPage } from '../../src/views/page/types.ts';
import type { EditAnswer, EditRequest } from '../app/answers.ts';
import { fullTime, humanSize } from '../parts/clock.ts';
import { counted, tokenText } from '../usage/amounts.ts';

type Options = EditRequest['options'];

interface ChoiceProps {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}

const PRESETS = [
  ['light', '10 turns stay whole, long results are cut'],
  ['standard', '5 turns stay whole, results are cut short, thinking goes'],
  ['deep', '2 turns stay whole, results give way to a line'],
  ['bare', 'what was typed and answered, without any tool'],
] as const;

export function SlimChoices({
  options,
  presets,
  onChange,
}: ChoiceProps & { readonly presets: EditAnswer['after']['presets'] }) {
  const [budget, setBudget] = useState('80');
  const isBudget = options.budget !== undefined;
  // While another is tried, what each would leave is still known.
  const [known, setKnown] = useState(presets);
  if (presets !== undefined && presets !== known) setKnown(presets);
  const left = (name: string) => known?.find((each) => each.name === name)?.tokens;
  const setLimit = (text: string) => {
    setBudget(text);
    if (/^\d{1,5}$/.test(text)) onChange({ budget: `${text}k` });
  };
  return (
    <fieldset class="edit-choices">
      <legend>How much</legend>
      {PRESETS.map(([name, what]) => (
        <label key={name}>
          <input
            type="radio"
            name="preset"
            checked={options.preset === name}
            onChange={() => onChange({ preset: name })}
          />
          <span class="edit-name">{name}</span>
          <span class="quiet small">{what}</span>
          <span class="number edit-left">{left(name) !== undefined && `~${tokenText(left(name) ?? 0)} left`}</span>
        </label>
      ))}
      <label>
        <input type="radio" name="preset" checked={isBudget} onChange={() => setLimit(budget)} />
        <span class="edit-name">fit into</span>
        <span class="quiet small">
          <input
            class="field edit-budget number"
            inputMode="numeric"
            aria-label="Thousands of tokens"
            value={budget}
            onInput={(event) => setLimit(event.currentTarget.value)}
          />{' '}
          thousand tokens, with as little as that takes
        </span>
      </label>
    </fieldset>
  );
}

/** The end of a turn of the branch that is shown. */
export function CloneChoices({ page, options, onChange }: ChoiceProps & { readonly page: ChatPage }) {
  const { turns, branch, branches } = page;
  const isCurrent = branches[branch]?.current ?? true;
  const of: Options = isCurrent ? {} : { branch: String(branch + 1) };
  return (
    <label class="edit-row">
      <span>Ends with</span>
      <select
        class="field"
        value={String(options.at ?? '')}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange(value === '' ? of : { branch: String(branch + 1), at: value });
        }}
      >
        <option value="">the end of {isCurrent ? 'the chat' : `branch ${branch + 1}`}</option>
        {turns
          .filter(({ number }) => number > 0)
          .map(({ number, prompt }) => (
            <option key={number} value={String(number)}>
              prompt {number}: {prompt.slice(0, 80)}
            </option>
          ))}
      </select>
    </label>
  );
}

/** Copies and continuations are one chat: which file of it is meant must be said. */
export function SessionChoice({
  page,
  value,
  onChange,
}: {
  readonly page: ChatPage;
  readonly value: string;
  readonly onChange: (session: string) => void;
}) {
  return (
    <label class="edit-row">
      <span>Session</span>
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">the one that a resume goes on from</option>
        {page.sessions
          .filter(({ source }) => source !== 'history')
          .map(({ id, turns, bytes, updated }) => (
            <option key={id} value={id}>
              {`${id.slice(0, 8)}: ${counted(turns, 'turn')}, ${humanSize(bytes)}, ${fullTime(updated)}`}
            </option>
          ))}
      </select>
    </label>
  );
}

const REPAIRS = [
  ['no-rejoin', 'Leave prompts without a parent as they are', 'for a chat that went back to the very start'],
  ['no-thinking', 'Leave all thinking out', 'where the API refuses its signatures'],
] as const;

export function RepairChoices({ options, onChange }: ChoiceProps) {
  return (
    <fieldset class="edit-choices">
      <legend>How</legend>
      {REPAIRS.map(([name, what, when]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={options[name] === true}
            onChange={(event) => {
              const { [name]: _, ...others } = options;
              onChange(event.currentTarget.checked ? { ...others, [name]: true } : others);
            }}
          />
          <span>{what}</span>
          <span class="quiet small">{when}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function TitleField({
  value,
  hint,
  onChange,
}: {
  readonly value: string;
  readonly hint: string;
  readonly onChange: (title: string) => void;
}) {
  return (
    <label class="edit-row">
      <span>Title</span>
      <input
        class="field"
        dir="auto"
        maxLength={200}
        value={value}
        placeholder={hint}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
