/** The files that go with the message being written, and the button that adds some. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { size } from "../i18n";
import { tb } from "../i18n/basis";
import { attach, type Attachment } from "../state/attaching";
import { act } from "../state/memory";
import { Icon } from "./icons";

export function Attached({
  files,
  onRemove,
}: {
  files: readonly Attachment[];
  onRemove(at: number): void;
}): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul class="attached">
      {files.map(({ name, bytes }, i) => (
        <li key={i}>
          <Icon name="clip" />
          <span dir="auto">{tb.attached(name, size(bytes))}</span>
          <button type="button" class="icon-button" aria-label={tb.remove(name)} onClick={() => onRemove(i)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function AttachButton(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="icon-button attach-button"
        aria-label={tb.attach}
        title={tb.attach}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="attach-file"
        aria-label={tb.attach}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = "";
          act(() => attach(files));
          document.querySelector<HTMLElement>("#message")?.focus();
        }}
      />
    </>
  );
}
