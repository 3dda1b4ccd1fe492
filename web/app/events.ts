/**
 * What the server says changed. A browser holds six connections to a host over all its tabs: a tab nobody sees gives its own
 * back, and catches up when it is looked at again.
 */
import type { Api } from './api.ts';

/** EventSource connects again by itself; after a gap everything may have changed. */
export const listen: Api['listen'] = (onEvent, onState) => {
  let source: EventSource | undefined;
  let isBehind = document.hidden;
  const connect = () => {
    source = new EventSource('/api/events');
    source.onopen = () => {
      onState?.(true);
      if (isBehind) onEvent({ type: 'chats' });
      isBehind = false;
    };
    source.onerror = () => {
      isBehind = true;
      onState?.(false);
    };
    source.onmessage = ({ data }) => onEvent(JSON.parse(data));
  };
  const leave = () => {
    source?.close();
    source = undefined;
  };
  const onVisibility = () => {
    leave();
    isBehind = true;
    if (!document.hidden) connect();
  };
  document.addEventListener('visibilitychange', onVisibility);
  if (!document.hidden) connect();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    leave();
  };
};
