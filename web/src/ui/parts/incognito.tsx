import type { JSX } from "preact";
import { t } from "../i18n";
import { closeIncognito } from "../state/incognito";
import { act } from "../state/memory";
import { Icon } from "./icons";

/** Says above an incognito chat what it is. */
export function IncognitoNote(): JSX.Element {
  return (
    <div class="incognito-note">
      <Icon name="incognito" />
      <p>{t.incognito.means}</p>
      <button type="button" aria-label={t.incognito.close} onClick={() => act(closeIncognito)}>
        {t.panel.close}
      </button>
    </div>
  );
}

export function IncognitoEmpty(): JSX.Element {
  return (
    <section class="empty">
      <h2>{t.incognito.emptyTitle}</h2>
      <p class="lead">{t.incognito.emptyLead}</p>
    </section>
  );
}
