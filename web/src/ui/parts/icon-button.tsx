/** A button that shows only an icon: its name is said, and shown when pointed at. */

import type { JSX } from "preact";
import { Icon } from "./icons";

interface IconButtonProps {
  icon: Parameters<typeof Icon>[0]["name"];
  label: string;
  /** Id of the element that says what it acts on. */
  about: string;
  filled?: boolean;
  onClick(): void;
}

export function IconButton({ icon, label, about, filled = false, onClick }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} aria-describedby={about} onClick={onClick}>
      <Icon name={icon} filled={filled} />
    </button>
  );
}
