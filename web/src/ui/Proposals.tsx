/** Cards below a message: what was noticed, and whether to keep it. */

import { useState } from "preact/hooks";
import { keyInWords, t } from "./i18n/index";
import type { App, Fact } from "./memory";

export function Proposals({ app, facts }: { app: App; facts: Fact[] }) {
  const keepAll = async (): Promise<void> => {
    for (const fact of facts) await app.call("confirm_fact", { id: fact.id });
  };
  return (
    <section class="proposals" aria-label={t("worthRemembering")}>
      <header>
        <p class="eyebrow">{t("worthRemembering")}</p>
        {facts.length > 1 && (
          <button type="button" class="text-button" onClick={() => void keepAll()}>
            {t("keepAll")}
          </button>
        )}
      </header>
      <ul>
        {facts.map((fact) => (
          <Proposal key={fact.id} app={app} fact={fact} />
        ))}
      </ul>
    </section>
  );
}

export function Proposal({ app, fact }: { app: App; fact: Fact }) {
  const [value, setValue] = useState<string | null>(null);
  const about = `about-${fact.id}`;
  const keep = async (changed: string | null): Promise<void> => {
    await app.call("confirm_fact", { id: fact.id, ...(changed?.trim() ? { value: changed } : {}) });
    setValue(null);
  };
  if (value !== null) {
    return (
      <li class="card">
        <form
          class="card-edit"
          onSubmit={(event) => {
            event.preventDefault();
            void keep(value);
          }}
        >
          <label>
            <span class="eyebrow">{keyInWords(fact.key)}</span>
            <input
              class="field"
              value={value}
              maxLength={100}
              ref={(input) => input?.focus()}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
          </label>
          <div class="card-actions">
            <button type="submit" class="button small">
              {t("keep")}
            </button>
            <button type="button" class="text-button" onClick={() => setValue(null)}>
              {t("cancel")}
            </button>
          </div>
        </form>
      </li>
    );
  }
  return (
    <li class="card" data-testid="proposal">
      <div class="card-text" id={about}>
        <span class="eyebrow">{keyInWords(fact.key)}</span>
        <span class="card-value" dir="auto">
          {fact.value}
        </span>
      </div>
      <div class="card-actions">
        <button type="button" class="button small" aria-describedby={about} onClick={() => void keep(null)}>
          {t("keep")}
        </button>
        <button type="button" class="text-button" aria-describedby={about} onClick={() => setValue(fact.value)}>
          {t("edit")}
        </button>
        <button
          type="button"
          class="text-button"
          aria-describedby={about}
          onClick={() => void app.undoable("factRejected", "reject_fact", { id: fact.id })}
        >
          {t("no")}
        </button>
      </div>
    </li>
  );
}
