/** What the user should know and can do something about. */

import type { JSX } from "preact";
import { sentence, t } from "../i18n";
import { isBackupDue, messagesSince, snoozeBackup } from "../state/backup";
import { exportFile, saveNow } from "../state/files";
import { act, memoryNow } from "../state/memory";
import { type State, state } from "../state/state";
import { useStore } from "../state/store";
import { Icon } from "./icons";

interface Banner {
  code: string;
  tone: "warning" | "problem" | "info";
  text: string;
  actions?: ReadonlyArray<{ label: string; run: () => void }>;
  /** It goes when its cause does, not before. */
  stays?: boolean;
  dismissed?: () => void;
}

const EXPORT = { label: t.header.export, run: () => act(exportFile) };
const RELOAD = { label: t.failed.reload, run: () => location.reload() };

function bannersFor(now: State): Banner[] {
  const { status, problem, update, spoken, taken } = now;
  const banners: Banner[] = [];
  const warning = status?.warning as keyof typeof t.banners | null | undefined;
  if (warning && warning in t.banners) {
    const lost = status?.memoryOnly ?? false;
    const action = lost ? [EXPORT] : warning === "no_policy" ? [RELOAD] : [];
    banners.push({ code: warning, tone: "warning", text: t.banners[warning], actions: action, stays: lost });
  }
  if (problem && !status?.memoryOnly) {
    const reload = problem.code === "version" || problem.code === "blocked";
    const actions = reload ? [RELOAD] : [EXPORT, { label: t.failed.retry, run: () => act(saveNow) }];
    banners.push({
      code: `problem-${problem.code ?? problem.name}`,
      tone: "problem",
      text: sentence(problem),
      actions,
      stays: true,
    });
  }
  if (status?.owner === "other-tab") {
    const here = { label: t.banners.useHere, run: () => memoryNow()?.takeOver() };
    banners.push({ code: "other-tab", tone: "info", text: taken ? t.banners.taken : t.banners.otherTab, actions: [here] });
  }
  if (spoken) banners.push({ code: "language", tone: "info", text: t.banners.language, actions: [RELOAD] });
  if (update) {
    banners.push({
      code: "update",
      tone: "info",
      text: t.banners.update,
      actions: [{ label: t.banners.updateNow, run: update }],
    });
  }
  if (isBackupDue(now)) {
    const text = t.backupDue(messagesSince(now));
    banners.push({ code: "backup", tone: "info", text, actions: [EXPORT], dismissed: snoozeBackup });
  }
  return banners;
}

export function Banners(): JSX.Element {
  useStore(state, (value) => value.status);
  useStore(state, (value) => value.problem);
  useStore(state, (value) => value.update);
  useStore(state, (value) => value.spoken);
  useStore(state, isBackupDue);
  const dismissed = useStore(state, (value) => value.dismissed);
  const banners = bannersFor(state.get()).filter(({ code, stays }) => stays || !dismissed.includes(code));
  return (
    <div class="banners" aria-live="polite">
      {banners.map(({ code, tone, text, actions, stays, dismissed: put }) => (
        <div key={code} class={`banner ${tone}`} data-code={code}>
          <p>{text}</p>
          <div class="banner-actions">
            {actions?.map(({ label, run }) => (
              <button key={label} type="button" onClick={run}>
                {label}
              </button>
            ))}
            {stays ? null : (
              <button
                type="button"
                class="icon-button"
                aria-label={t.dismiss}
                onClick={() => {
                  put?.();
                  state.set({ dismissed: [...dismissed, code] });
                }}
              >
                <Icon name="close" />
              </button>
            )}
          </div>
        </div>
      ))}
    </div>
  );
}
