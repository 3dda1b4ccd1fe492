/** The top line: where you are, and what is one click away. */
import { Icon, type IconName } from '../parts/icons.tsx';
import { hrefOf, listParams, type PageName, type Route } from './router.ts';
import type { Theme } from './theme.ts';

const NEXT: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

export function Bar({
  route,
  theme,
  connected,
  onTheme,
  onHelp,
}: {
  readonly route: Route;
  readonly theme: Theme;
  readonly connected: boolean;
  readonly onTheme: () => void;
  readonly onHelp: () => void;
}) {
  const back = hrefOf({ page: 'chats', params: listParams(route) });
  return (
    <header class="bar">
      {route.page !== 'chats' && (
        <a class="icon-button bar-back" href={back} aria-label="Back to the chats">
          <Icon name="back" />
        </a>
      )}
      <a class="bar-name" href="#/">
        Skein
      </a>
      <nav class="bar-pages" aria-label="Pages">
        <Link to="chats" icon="chats" label="Chats" route={route} href={back} />
        <Link to="search" icon="search" label="Search" route={route} href={hrefOf({ page: 'search' })} />
        <Link to="usage" icon="usage" label="Usage" route={route} href={hrefOf({ page: 'usage' })} />
      </nav>
      <span class="bar-space" />
      {!connected && (
        <span class="chip bar-lost" role="status">
          not connected
        </span>
      )}
      <button
        type="button"
        class="icon-button"
        onClick={onTheme}
        aria-label={`Look: ${NEXT[theme]}. Switch (t)`}
        title={`Look: ${NEXT[theme]} (t)`}
      >
        <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
      </button>
      <button type="button" class="icon-button" onClick={onHelp} aria-label="Keys (?)" title="Keys (?)">
        <Icon name="help" />
      </button>
    </header>
  );
}

function Link({
  to,
  icon,
  label,
  route,
  href,
}: {
  to: PageName;
  icon: IconName;
  label: string;
  route: Route;
  href: string;
}) {
  const here = route.page === to || (to === 'chats' && route.page === 'chat');
  return (
    <a class="bar-link" href={href} aria-label={label} aria-current={here ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
    </a>
  );
}
