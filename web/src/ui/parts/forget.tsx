/** Before something is forgotten: what goes with it, and what stays. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { day, t } from "../i18n";
import { tb } from "../i18n/basis";
import { keyInWords } from "../i18n/keys";
import type { Fact, Hit, Receipt } from "../model";
import { forget } from "../state/facts";
import { act, call } from "../state/memory";
import { around } from "./excerpt";
import { close, Modal } from "./modal";

const MOST_HITS = 4;

export function Forget({ fact }: { fact: Fact }): JSX.Element {
  const source = fact.source_message_id;
  const [withSource, setWithSource] = useState(false);
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [hits, setHits] = useState<readonly Hit[]>([]);
  useEffect(() => {
    const which = withSource ? { message_id: source } : { fact_id: fact.id };
    act(async () => setReceipt(await call<Receipt>("preview_forgetting", which)));
  }, [withSource]);
  useEffect(() => {
    act(async () => setHits(await call<Hit[]>("search", { text: fact.value, limit: MOST_HITS + 1 })));
  }, []);
  const { facts = 1, message_versions: _, event_salts: __, embeddings: ___, ...rest } = receipt?.counts ?? {};
  const also = Object.entries({ ...rest, facts: facts - 1 }).flatMap(([table, n]) => (n > 0 ? (tb.alsoGoes[table]?.(n) ?? []) : []));
  const staying = hits.filter(({ message_id }) => !(withSource && message_id === source));
  const go = (): void => {
    close();
    act(() => forget(fact, withSource));
  };
  return (
    <Modal title={tb.forgetTitle} kind="forget">
      <p>{tb.goes}</p>
      <ul class="forget-list">
        <li class="forget-what">
          <span class="key">{keyInWords(fact.key)}</span>
          <span class="value" dir="auto">
            {fact.value}
          </span>
          <small>{tb.since(day(fact.valid_from ?? fact.created_at))}</small>
        </li>
        {also.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {staying.length ? (
        <>
          <p>{tb.stays(staying.length)}</p>
          <ul class="forget-list forget-stays">
            {staying.slice(0, MOST_HITS).map((hit) => (
              <li key={hit.message_id} dir="auto">
                {around(hit)}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {source ? (
        <label class="check">
          <input type="checkbox" checked={withSource} onChange={({ currentTarget }) => setWithSource(currentTarget.checked)} />
          {tb.withSource}
        </label>
      ) : null}
      <p class="kind-note">{tb.beyond}</p>
      <div class="dialog-actions">
        <button type="button" class="danger" onClick={go}>
          {t.panel.forget}
        </button>
        <button type="button" onClick={close}>
          {t.facts.cancel}
        </button>
      </div>
    </Modal>
  );
}
