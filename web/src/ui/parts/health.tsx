/** What is wrong with the memory or waits for the user, in plain words, and what can be done about each. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { keyInWords } from "../i18n/keys";
import { ts } from "../i18n/settings";
import { CHECKS, check, fix, health, type Finding } from "../state/health";
import { openPanel } from "../state/facts";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { Icon, Mark } from "./icons";
import { Modal } from "./modal";

const SHOWN = 4;

export function Health(): JSX.Element {
  const findings = useStore(health, (value) => value.findings);
  const busy = useStore(health, (value) => value.busy);
  const ready = useStore(state, (value) => value.ready);
  useEffect(() => {
    if (ready) act(check);
  }, [ready]);
  const { health: texts } = ts;
  return (
    <Modal title={texts.title} kind="health">
      <div aria-live="polite">
        {findings === null ? <p class="none">{texts.checking}</p> : findings.length ? null : <Well />}
        {findings?.length ? <p class="health-count">{texts.found(findings.length)}</p> : null}
      </div>
      {findings?.length ? (
        <ul class="findings">
          {findings.map((finding) => (
            <Found key={finding.kind} finding={finding} busy={busy} />
          ))}
        </ul>
      ) : null}
      {findings ? <Checked findings={findings} /> : null}
      <div class="dialog-actions">
        <button type="button" disabled={busy || !ready} onClick={() => act(check)}>
          <Icon name="again" />
          {texts.again}
        </button>
      </div>
    </Modal>
  );
}

function Well(): JSX.Element {
  return (
    <div class="all-well">
      <Mark />
      <div>
        <p class="all-well-title">{ts.health.well}</p>
        <p class="setting-note">{ts.health.wellNote}</p>
      </div>
    </div>
  );
}

function Found({ finding, busy }: { finding: Finding; busy: boolean }): JSX.Element {
  const { kind, count, facts, details } = finding;
  const words = ts.health.kinds[kind];
  const id = `finding-${kind}`;
  return (
    <li class="finding" data-kind={kind}>
      <h3 id={id}>{words.title(count)}</h3>
      <p class="setting-note">{words.note}</p>
      {facts.length || details.length ? (
        <ul class="finding-which">
          {facts.slice(0, SHOWN).map(({ id, key, value }) => (
            <li key={id}>
              <span class="key">{keyInWords(key)}</span> <span dir="auto">{value}</span>
            </li>
          ))}
          {details.slice(0, SHOWN).map((text) => (
            <li key={text}>
              <code>{text}</code>
            </li>
          ))}
          {count > SHOWN ? <li class="key">{ts.health.more(count - SHOWN)}</li> : null}
        </ul>
      ) : null}
      {words.fix ? (
        <button type="button" class="primary" aria-describedby={id} disabled={busy} onClick={() => act(() => doIt(finding))}>
          {words.fix}
        </button>
      ) : null}
    </li>
  );
}

async function doIt(finding: Finding): Promise<void> {
  if (finding.fix) return fix(finding);
  if (finding.kind === "damaged") return state.set({ dialog: { kind: "storage" } });
  state.set({ dialog: null });
  openPanel(true);
}

/** What is in order, so that “all is well” says of what. */
function Checked({ findings }: { findings: readonly Finding[] }): JSX.Element {
  const wrong = new Set<string>(findings.map(({ kind }) => kind));
  if (wrong.has("conflicts")) wrong.add("contradictions"); // asked about, and not settled
  const right = CHECKS.filter((kind) => !wrong.has(kind));
  return (
    <section class="checked">
      <h3>{ts.health.checked}</h3>
      <ul>
        {right.map((kind) => (
          <li key={kind}>
            <Icon name="check" />
            {ts.health.checks[kind]}
          </li>
        ))}
      </ul>
    </section>
  );
}
