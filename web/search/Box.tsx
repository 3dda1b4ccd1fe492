/** The box, with what could follow under it. */
import { useState } from 'preact/hooks';
import type { ChatList } from '../../src/views/page/types.ts';
import { Icon } from '../parts/icons.tsx';
import { type Suggestion, suggestions } from './complete.ts';

export interface BoxProps {
  readonly text: string;
  readonly list: ChatList | undefined;
  readonly field: { current: HTMLInputElement | null };
  readonly onText: (text: string) => void;
  /** Enter, with nothing to complete. */
  readonly onOpen: () => void;
  /** Down into the results. */
  readonly onDown: () => void;
}

export function Box({ text, list, field, onText, onOpen, onDown }: BoxProps) {
  const [cursor, setCursor] = useState(text.length);
  const [chosen, setChosen] = useState(-1);
  const [closed, setClosed] = useState(false);
  const [focused, setFocused] = useState(false);
  const offers = closed || !focused ? [] : suggestions(text, cursor, list);
  const follow = () => setCursor(field.current?.selectionStart ?? text.length);
  const change = (next: string) => {
    setClosed(false);
    setChosen(-1);
    onText(next);
  };
  const take = ({ text: next, cursor: to }: Suggestion) => {
    change(next);
    setCursor(to);
    const input = field.current;
    if (input === null) return;
    input.value = next;
    input.focus();
    input.setSelectionRange(to, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const offer = offers[chosen];
    const open = offers.length > 0;
    if (event.key === 'ArrowDown' && open) setChosen((chosen + 1) % offers.length);
    else if (event.key === 'ArrowUp' && open) setChosen((chosen <= 0 ? offers.length : chosen) - 1);
    else if (event.key === 'ArrowDown') onDown();
    else if (event.key === 'Tab' && open && !event.shiftKey)
      take(offer ?? offers[0] ?? { label: '', hint: '', text, cursor });
    else if (event.key === 'Enter') offer ? take(offer) : onOpen();
    else if (event.key === 'Escape' && open) setClosed(true);
    else if (event.key === 'Escape' && text !== '') change('');
    else return;
    event.preventDefault();
  };
  return (
    <div class="search-box">
      <Icon name="search" />
      <input
        ref={field}
        class="search-field"
        type="text"
        role="combobox"
        aria-label="Search all chats"
        aria-expanded={offers.length > 0}
        aria-controls="search-offers"
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 && offers[chosen] ? `search-offer-${chosen}` : undefined}
        placeholder="Search all chats: words, &quot;a phrase&quot;, begin*, in:prompt, after:7d"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          change(currentTarget.value);
          setCursor(currentTarget.selectionStart ?? currentTarget.value.length);
        }}
        onKeyDown={onKeyDown}
        onKeyUp={follow}
        onClick={follow}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      <div id="search-offers" class="search-offers" role="listbox" aria-label="Filters" hidden={offers.length === 0}>
        {offers.map((offer, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the field
          <div
            key={offer.label}
            id={`search-offer-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(offer)}
          >
            <span>{offer.label}</span>
            <span class="quiet small">{offer.hint}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
