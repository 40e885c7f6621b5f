import type { JSX } from "preact";
import { t } from "../i18n";
import type { Message } from "../model";
import { send } from "../state/chat";
import { isAnswering, state } from "../state/state";
import { useStore } from "../state/store";

/** Intents of answers that end with a question: whether to make a call, or to go on with what was interrupted. */
const ASKING = ["ask", "resume"];

/** The two answers to a question of the assistant, beneath it for as long as it is the last thing said. */
export function Decide({ message }: { message: Message }): JSX.Element | null {
  const open = useStore(state, (now) => !now.later && now.messages.at(-1)?.id === message.id && !isAnswering(now));
  if (!open || message.status === "streaming" || !ASKING.includes(message.intent ?? "")) return null;
  const { label, yes, no } = t.chat.decide;
  return (
    <div class="decide" role="group" aria-label={label}>
      <button type="button" class="primary" onClick={() => send(yes)}>
        {yes}
      </button>
      <button type="button" onClick={() => send(no)}>
        {no}
      </button>
    </div>
  );
}
