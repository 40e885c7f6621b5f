/** Line icons, drawn on a grid of 24. Decorative: the button around one carries the name. */

const PATHS = {
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  memory: "M7 4h10a1 1 0 0 1 1 1v15l-6-3.5L6 20V5a1 1 0 0 1 1-1z",
  export: "M12 4v10M8 10l4 4 4-4M5 19h14",
  import: "M12 14V4M8 8l4-4 4 4M5 19h14",
  storage: "M5 7c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3zM5 7v10c0 1.7 3.1 3 7 3s7-1.3 7-3V7M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3",
  edit: "M5 19l1-4L16 5l3 3L9 18z",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 13h8l1-13",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5",
  jump: "M9 6h9v9M18 6L7 17",
  check: "M5 12.5l4.5 4.5L19 7.5",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
