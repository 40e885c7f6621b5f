/** What stands in the place of an answer of which nothing has arrived yet: what it waits for, and for how long. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n";
import { stop } from "../state/chat";
import { act } from "../state/memory";
import { models } from "../state/model-choice";
import { delays } from "../state/state";
import { useStore } from "../state/store";

/** From then on it is said how long it has taken. */
const LONG_S = 5;

export function Pending({ id }: { id: string }): JSX.Element {
  const delay = useStore(delays, (value) => value[id]);
  const now = useSeconds();
  const [begun] = useState(now);
  const said = useWaitingFor();
  const { chat } = t;
  if (delay?.kind === "retry") {
    const left = Math.max(0, Math.ceil((delay.until - now) / 1000));
    return (
      <div class="retrying">
        <p dir="auto">{delay.why}</p>
        <p>
          {left ? chat.retryIn(left) : chat.retryNow} <small>{chat.attempt(delay.attempt, delay.of)}</small>
        </p>
        <button type="button" onClick={() => act(stop)}>
          {chat.giveUp}
        </button>
      </div>
    );
  }
  const seconds = Math.round((now - begun) / 1000);
  return (
    <p class="thinking">
      {delay?.kind === "turn" ? chat.afterFormer : said}
      {seconds >= LONG_S ? <small> {chat.elapsed(seconds)}</small> : null}
    </p>
  );
}

/** In words; what a model in a page waits for differs from the way of a server. */
function useWaitingFor(): string {
  const choice = useStore(models, (value) => value.settings.choice);
  const server = useStore(models, (value) => value.server);
  const loading = useStore(models, (value) => value.loading);
  const { chat } = t;
  if (choice.kind === "offline") return chat.thinking;
  if (choice.kind === "server") return chat.waitingFor(choice.model);
  if (loading) return t.models.loading;
  return server ? chat.modelThinks : chat.waitingForTab;
}

/** The time in ms, anew each second. */
function useSeconds(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
