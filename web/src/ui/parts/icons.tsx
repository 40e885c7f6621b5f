/** Line icons, 20 units square. They are decoration: the name stands on the button. */

import type { JSX } from "preact";

const PATHS = {
  menu: "M3 6h14M3 10h14M3 14h9",
  plus: "M10 4v12M4 10h12",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M13 13l4 4",
  pencil: "M4 16l1-4 8-8 3 3-8 8zM11.5 5.5l3 3",
  bin: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6",
  memory: "M4 12V8.2a3 3 0 0 1 6 0V12m0-3.8a3 3 0 0 1 6 0V12M4 16q1.5-1.5 3 0t3 0t3 0t3 0",
  export: "M10 12V3M6.5 6.5L10 3l3.5 3.5M4 11v5h12v-5",
  import: "M3 15.5V4.5h4.5l2 2.5H15v2.5M3 15.5l2.5-6H18l-2.5 6z",
  storage:
    "M4 5c0-1.4 2.7-2 6-2s6 .6 6 2-2.7 2-6 2-6-.6-6-2zM4 5v10c0 1.4 2.7 2 6 2s6-.6 6-2V5M4 10c0 1.4 2.7 2 6 2s6-.6 6-2",
  sync: "M4 8.5A6.2 6.2 0 0 1 15.2 6.5M15.5 3v4h-4M16 11.5A6.2 6.2 0 0 1 4.8 13.5M4.5 17v-4h4",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M6 6h8v8H6z",
  close: "M5 5l10 10M15 5L5 15",
  pin: "M7 3h6l-1 6 3 3H5l3-3zM10 12v5",
  arrow: "M10 4v12M5 11l5 5 5-5",
  more: "M4 10a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M9.5 10a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M15 10a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0",
  check: "M4 10.5l4 4 8-9",
  incognito: "M3 8.5c1.7 2.6 4 4 7 4s5.3-1.4 7-4M5.2 11.2l-1.4 2M8.4 12.4l-.6 2.4M11.6 12.4l.6 2.4M14.8 11.2l1.4 2",
  model: "M6.5 6.5h7v7h-7zM8.2 3.5v3M11.8 3.5v3M8.2 13.5v3M11.8 13.5v3M3.5 8.2h3M3.5 11.8h3M13.5 8.2h3M13.5 11.8h3",
  copy: "M7.5 7.5V4.5a1 1 0 0 1 1-1h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-3M4.5 7.5h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1z",
  again: "M16 4v4h-4M15.6 8A6 6 0 1 0 16 11.5",
  back: "M12 5l-5 5 5 5",
  forth: "M8 5l5 5-5 5",
  why: "M7.2 7.4a2.8 2.8 0 1 1 3.9 2.6c-.8.4-1.1.8-1.1 1.8M10 14.6h.01M10 2.8a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.4",
  clip: "M13.5 6.5l-6 6a1.8 1.8 0 0 0 2.6 2.6l6.2-6.3a3.3 3.3 0 0 0-4.7-4.7L5.3 10.4a4.8 4.8 0 0 0 6.8 6.8l4.4-4.4",
  sent: "M4 5h12M4 9h6M4 13h4M13.5 10.5a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5M15.5 15.2L17.5 17.2",
  page: "M5 3h7l3 3v11H5zM12 3v3h3M7.5 9.5h5M7.5 12h5M7.5 14.5h3",
  keys: "M2.5 6h15v8.5h-15zM5.5 8.8h.01M8.5 8.8h.01M11.5 8.8h.01M14.5 8.8h.01M6.5 11.8h7",
  settings: "M3 6h7M14 6h3M3 14h3M10 14h7M12 4a2 2 0 1 0 0 4 2 2 0 1 0 0-4M8 12a2 2 0 1 0 0 4 2 2 0 1 0 0-4",
  health: "M3 10.5h3.2l1.8-4.5 3.2 8.5 2-4H17",
  person: "M10 3.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 1 0 0-6.4M4 16.5c.6-3.2 2.9-4.7 6-4.7s5.4 1.5 6 4.7",
  jump: "M16 4v5a3 3 0 0 1-3 3H4M8 8l-4 4 4 4",
} as const;

export function Icon({ name, filled = false }: { name: keyof typeof PATHS; filled?: boolean }): JSX.Element {
  return (
    <svg class={filled ? "icon filled" : "icon"} viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Two arches on a hand-drawn line. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <path class="mark-arches" d="M7 19v-4.5a4.5 4.5 0 0 1 9 0V19m0-4.5a4.5 4.5 0 0 1 9 0V19" />
      <path class="mark-line" d="M7 25q2.2-2 4.5 0t4.5 0t4.5 0t4.5 0" />
    </svg>
  );
}
