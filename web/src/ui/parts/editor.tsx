/** A value being changed in its place: Enter saves, Escape leaves it as it was. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { isComposing } from "./ime";

interface EditorProps {
  value: string;
  label: string;
  limit: number;
  onSave(value: string): void;
  onCancel(): void;
}

export function Editor({ value, label, limit, onSave, onCancel }: EditorProps): JSX.Element {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const save = (): void => (text.trim() ? onSave(text.trim()) : onCancel());
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <input
        ref={field}
        type="text"
        dir="auto"
        aria-label={label}
        maxLength={limit}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && isComposing(event)) event.preventDefault();
          if (event.key === "Escape" && !isComposing(event)) {
            event.stopPropagation();
            onCancel();
          }
        }}
      />
      <div class="editor-actions">
        <button type="submit" class="primary">
          {t.facts.save}
        </button>
        <button type="button" onClick={onCancel}>
          {t.facts.cancel}
        </button>
      </div>
    </form>
  );
}
