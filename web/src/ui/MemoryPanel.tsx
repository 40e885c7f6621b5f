/** Everything that is remembered: what waits for an answer first, then the facts, each with the words it came from. */

import { useState } from "preact/hooks";
import { Dialog } from "./Dialog";
import { Proposal } from "./Proposals";
import { Icon } from "./icons";
import { type TextKey, day, keyInWords, t } from "./i18n/index";
import type { App, Fact, Message, View } from "./memory";

const PREFERENCES = ["user::diet", "user::allergy", "user::likes", "user::dislikes", "user::language"];
const GROUPS: ReadonlyArray<readonly [TextKey, (key: string) => boolean]> = [
  ["groupPeople", (key) => key.startsWith("user::family")],
  ["groupPreferences", (key) => PREFERENCES.includes(key)],
  ["groupTasks", (key) => key.startsWith("task::")],
  ["groupOther", (key) => !key.startsWith("user::") || /^user::(?:note|decision|event)/.test(key)],
  ["groupYou", () => true],
];
const ORDER: TextKey[] = ["groupYou", "groupPeople", "groupPreferences", "groupTasks", "groupOther"];

interface Props {
  app: App;
  view: View;
  close: () => void;
  jump: (sessionId: string, messageId: string) => void;
}

export function MemoryPanel({ app, view, close, jump }: Props) {
  const groups = new Map<TextKey, Fact[]>();
  for (const fact of view.facts) {
    const name = GROUPS.find(([, fits]) => fits(fact.key))?.[0] ?? "groupOther";
    groups.set(name, [...(groups.get(name) ?? []), fact]);
  }
  return (
    <Dialog title={t("memory")} side close={close}>
      {view.facts.length + view.proposals.length === 0 && <p class="quiet">{t("memoryEmpty")}</p>}
      {view.proposals.length > 0 && (
        <section class="group">
          <h3>{t("toConfirm")}</h3>
          <ul class="proposal-list">
            {view.proposals.map((fact) => (
              <Proposal key={fact.id} app={app} fact={fact} />
            ))}
          </ul>
        </section>
      )}
      {ORDER.map((name) => {
        const facts = groups.get(name);
        return (
          facts && (
            <section class="group" key={name}>
              <h3>{t(name)}</h3>
              <ul>
                {facts.map((fact) => (
                  <FactRow key={fact.id} app={app} fact={fact} jump={jump} />
                ))}
              </ul>
            </section>
          )
        );
      })}
    </Dialog>
  );
}

function FactRow({ app, fact, jump }: { app: App; fact: Fact; jump: Props["jump"] }) {
  const [value, setValue] = useState<string | null>(null);
  const isTask = fact.key.startsWith("task::");
  const about = `fact-${fact.id}`;

  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (value?.trim()) await app.call("set_fact", { key: fact.key, value, source_message_id: fact.source_message_id });
    setValue(null);
  };
  const show = async (): Promise<void> => {
    try {
      const message = await app.call<Message>("get_message", { id: fact.source_message_id });
      jump(message.session_id, message.id);
    } catch {
      app.toast({ text: t("sourceGone") });
    }
  };
  return (
    <li class="fact" data-testid="fact">
      {value === null ? (
        <p class="fact-line" id={about}>
          <span class="fact-key">{isTask ? "" : keyInWords(fact.key)}</span>
          <span class="fact-value" dir="auto">
            {fact.value}
          </span>
        </p>
      ) : (
        <form class="session-edit" onSubmit={(event) => void save(event)}>
          <input
            class="field"
            aria-label={t("editValue")}
            value={value}
            maxLength={100}
            ref={(input) => input?.focus()}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
          <button type="submit" class="icon-button" aria-label={t("save")}>
            <Icon name="check" />
          </button>
        </form>
      )}
      <p class="fact-source">
        {fact.quote && <q dir="auto">{fact.quote}</q>} <span>{t("since", { day: day(fact.created_at) })}</span>
      </p>
      {fact.needs_review && (
        <p class="note note-bad">
          {t("needsReview")}{" "}
          <button type="button" class="text-button" onClick={() => void app.call("confirm_fact", { id: fact.id })}>
            {t("yes")}
          </button>
        </p>
      )}
      <div class="fact-tools">
        {isTask && (
          <button type="button" class="text-button" aria-describedby={about} onClick={() => void app.call("end_fact", { id: fact.id })}>
            {t("done")}
          </button>
        )}
        {fact.source_message_id && (
          <button type="button" class="text-button" aria-describedby={about} onClick={() => void show()}>
            {t("showSource")}
          </button>
        )}
        <button type="button" class="text-button" aria-describedby={about} onClick={() => setValue(fact.value)}>
          {t("edit")}
        </button>
        <button
          type="button"
          class="text-button"
          aria-pressed={fact.pinned}
          aria-describedby={about}
          onClick={() => void app.call("pin_fact", { id: fact.id, pinned: !fact.pinned })}
        >
          {t(fact.pinned ? "unpin" : "pin")}
        </button>
        <button
          type="button"
          class="text-button danger"
          aria-describedby={about}
          onClick={() => void app.undoable("factForgotten", "forget", { fact_id: fact.id })}
        >
          {t("forget")}
        </button>
      </div>
    </li>
  );
}
