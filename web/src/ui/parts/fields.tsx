/** Fields for what must be taken letter by letter: browsers offer to complete, capitalise and correct nothing in them. */

import type { JSX } from "preact";

interface FieldProps {
  id: string;
  value: string;
  onValue(value: string): void;
  placeholder?: string;
  disabled?: boolean;
}

export function AddressField({ onValue, ...rest }: FieldProps): JSX.Element {
  return (
    <input
      type="text"
      inputMode="url"
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      dir="ltr"
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
      {...rest}
    />
  );
}

/** For a key or a token. */
export function SecretField({ onValue, ...rest }: FieldProps): JSX.Element {
  return (
    <input
      type="password"
      autocomplete="off"
      dir="ltr"
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
      {...rest}
    />
  );
}
