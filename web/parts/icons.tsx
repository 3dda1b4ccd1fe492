/** Line icons, 16 by 16. */
const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  usage: 'M2.5 13.5v-5m4 5v-9m4 9v-6m3.5 6v-11',
  chats: 'M2.5 3h11v8h-6l-3 2.5V11h-2Z',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1.5v2m0 9v2M1.5 8h2m9 0h2M3.4 3.4l1.4 1.4m6.4 6.4 1.4 1.4m0-9.2-1.4 1.4M4.8 11.2l-1.4 1.4',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z',
  help: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1m0 2.4v.1M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z',
  back: 'M9.5 3 4.5 8l5 5',
  close: 'm4 4 8 8m0-8-8 8',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.3 1.3a3 3 0 0 1-4.5-4.5L4.5 7',
  copy: 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8Z',
  check: 'm3 8.5 3.2 3.2L13 4.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Zm6.5 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  download: 'M8 2v8m-3.3-3L8 10.3 11.3 7M2.5 13.5h11',
  folder: 'M1.5 3.5h4l1.5 2h7.5v7h-13Z',
  terminal: 'm3 4.5 3.5 3.5L3 11.5m5 .5h5',
  map: 'M4 4.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0v7m0 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8-5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0c0 3-8 1.5-8 4',
  outline: 'M2 3.5h2m2.5 0H14M2 8h2m2.5 0H14M2 12.5h2m2.5 0H14',
  time: 'M2 3.5h6m-4 4.5h7m-3 4.5h6',
  file: 'M3.5 1.5h6l3 3v10h-9Zm6 0v3h3',
  edit: 'm2.5 13.5.8-3.2 7.5-7.5 2.4 2.4-7.5 7.5Z',
  list: 'm2 4 1 1 2-2M2 9l1 1 2-2m3-4h6M8 9h6',
  globe: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm-6.5-6.5h13M8 1.5c-4 4-4 9 0 13 4-4 4-9 0-13Z',
  agent: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5',
  tool: 'M9.5 6.5a3.5 3.5 0 0 1 4.7-4.2L12 4.5 13 6l2-1.8a3.5 3.5 0 0 1-4.6 4.3l-5.6 5.6-2-2Z',
  question: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1m0 2.4v.1',
  warning: 'M8 2 1.5 13.5h13Zm0 4.5v3m0 2v.1',
  slim: 'M2 3.5h12M4.5 8h7M6.5 12.5h3',
  repair: 'M8 14.5c3.5-1.5 5.5-4 5.5-7.5V3L8 1.5 2.5 3v4c0 3.5 2 6 5.5 7.5ZM5.5 8h5M8 5.5v5',
  branch: 'M5 2v12m0-4c5 0 6-1.5 6-5m0 0L8.8 7M11 5l2.2 2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
