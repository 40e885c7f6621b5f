import type { JSX } from "preact";
import { t } from "../i18n";
import { state } from "../state/state";
import { Icon, Mark } from "./icons";

export function Empty(): JSX.Element {
  const fill = (text: string): void => {
    state.set({ draft: text });
    document.querySelector<HTMLTextAreaElement>("#message")?.focus();
  };
  return (
    <section class="empty">
      <Mark />
      <h2>{t.empty.title}</h2>
      <p class="lead">{t.empty.lead}</p>
      <ul class="points">
        {t.empty.points.map((point) => (
          <li key={point}>
            <Icon name="check" />
            {point}
          </li>
        ))}
      </ul>
      <p class="try">{t.empty.try}</p>
      <ul class="examples">
        {t.empty.examples.map((example) => (
          <li key={example}>
            <button type="button" onClick={() => fill(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
