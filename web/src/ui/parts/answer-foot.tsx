/** Under an answer: how many memories it used, and the tools that were called for it, each folded to a line. */

import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { tb } from "../i18n/basis";
import type { Message, ToolCall } from "../model";
import { basis, toolCallsOf } from "../state/basis";
import { act } from "../state/memory";
import { useStore } from "../state/store";
import type { BasisView } from "./basis";
import { Icon } from "./icons";

export function UsedChip({ message, open, onOpen }: { message: Message; open: boolean; onOpen(): void }): JSX.Element | null {
  const memories = useStore(basis, (all) => all[message.id]?.memories ?? 0);
  if (memories === 0 || message.status === "failed") return null;
  return (
    <button type="button" class="used-chip" aria-expanded={open} onClick={onOpen}>
      <Icon name="memory" />
      {tb.used(memories)}
    </button>
  );
}

type BasisPart = FunctionComponent<{ message: Message; view: BasisView; onClose(): void }>;

/** Loaded when it is asked for. */
export function BasisLater(props: { message: Message; view: BasisView; onClose(): void }): JSX.Element | null {
  const [Part, setPart] = useState<BasisPart | null>(null);
  useEffect(() => act(() => import("./basis").then(({ Basis }) => setPart(() => Basis))), []);
  return Part ? <Part {...props} /> : null;
}

export function ToolLine({ message }: { message: Message }): JSX.Element | null {
  const tools = useStore(basis, (all) => all[message.id]?.tools);
  const [calls, setCalls] = useState<readonly ToolCall[]>([]);
  if (!tools?.length) return null;
  const names = [...new Set(tools.map(([name]) => name))];
  const failed = tools.some(([, status]) => ["failed", "timeout", "unknown"].includes(status));
  return (
    <details
      class={failed ? "tool-line failed-tool" : "tool-line"}
      onToggle={({ currentTarget }) =>
        currentTarget.open && act(async () => setCalls(await toolCallsOf(message.id, message.session_id)))
      }
    >
      <summary>
        <Icon name="keys" />
        <span>{tb.tools(tools.length)}</span>
        <code>{names.slice(0, 3).join(", ")}{names.length > 3 ? "…" : ""}</code>
      </summary>
      <ol>
        {calls.map((call) => (
          <li key={call.id}>
            <p>
              <code>{call.tool_name}</code> <small>{tb.tool[call.status] ?? call.status}</small>
            </p>
            <dl>
              <dt>{tb.given}</dt>
              <dd>
                <pre tabIndex={0}>{inJson(call.input)}</pre>
              </dd>
              <dt>{tb.returned}</dt>
              <dd>
                <pre tabIndex={0}>{call.error_message ?? (call.output === null ? tb.noResult : inJson(call.output))}</pre>
              </dd>
            </dl>
          </li>
        ))}
      </ol>
    </details>
  );
}

const MOST = 4_000;

function inJson(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
