/** How far the start has come, above the message box, which works meanwhile. */

import type { JSX } from "preact";
import { t } from "../i18n";
import { BOOT_STEPS, state } from "../state/state";
import { useStore } from "../state/store";

export function Boot(): JSX.Element | null {
  const ready = useStore(state, (value) => value.ready);
  const failure = useStore(state, (value) => value.failure);
  const step = useStore(state, (value) => value.boot);
  const first = useStore(state, (value) => value.first);
  const early = useStore(state, (value) => value.early);
  if (ready || failure) return null;
  const steps = first ? BOOT_STEPS : BOOT_STEPS.slice(1);
  const done = Math.max(0, steps.indexOf(step));
  return (
    <div class="boot">
      <p class="boot-step">
        <strong>{t.boot[step]}</strong>{" "}
        <span>
          {done + 1} / {steps.length}
        </span>
      </p>
      <div
        class="boot-bar"
        role="progressbar"
        aria-label={t.boot.label}
        aria-valuemin={0}
        aria-valuemax={steps.length}
        aria-valuenow={done}
        aria-valuetext={t.boot[step]}
      >
        {steps.map((name, i) => (
          <span key={name} class={i < done ? "done" : i === done ? "now" : ""} />
        ))}
      </div>
      <p class="boot-note">{early ? t.boot.noteEarly : first ? t.boot.noteFirst : t.boot.note}</p>
    </div>
  );
}
