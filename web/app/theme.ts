/** Light or dark: as the system says, until someone chooses. */
import { useEffect, useState } from 'preact/hooks';
import { remember, remembered } from './remembered.ts';

export type Theme = 'system' | 'light' | 'dark';

export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(() => {
    const kept = remembered('theme');
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  });
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    remember('theme', theme === 'system' ? null : theme);
  }, [theme]);
  return [theme, () => setTheme(nextTheme)];
}

/** First to the other look than the one that is seen, then back to the system's. */
function nextTheme(theme: Theme): Theme {
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
  if (theme === 'system') return systemIsDark ? 'light' : 'dark';
  return (theme === 'dark') === systemIsDark ? 'system' : systemIsDark ? 'dark' : 'system';
}
