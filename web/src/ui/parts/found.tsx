/** What holds some words anywhere: memories and messages, as entries of the palette, with the words marked. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ago, labelled } from "../i18n";
import { tb } from "../i18n/basis";
import { KEYS_OF_GROUPS, keyInWords, keysWithWords } from "../i18n/keys";
import type { Fact, Hit } from "../model";
import { openPanel } from "../state/facts";
import { act, call } from "../state/memory";
import { state } from "../state/state";
import { goToMessage } from "../state/window";
import { around, marked } from "./excerpt";

const SEARCH_MS = 150;
const MEMORIES = 6;
const MESSAGES = 20;

export interface Found {
  id: string;
  label: string;
  shown: JSX.Element;
  icon: "memory" | "jump";
  note: string;
  run(): void;
}

interface Groups {
  memories: readonly Found[];
  messages: readonly Found[];
}

const NOTHING: Groups = { memories: [], messages: [] };

export function useFound(query: string): Groups {
  const [found, setFound] = useState(NOTHING);
  const turn = useRef(0);
  useEffect(() => {
    const mine = ++turn.current;
    const words = query.trim();
    if (!words || !state.get().ready) return setFound(NOTHING);
    const ask = async (): Promise<void> => {
      const [facts, hits] = await Promise.all([
        call<Fact[]>("browse_facts", { groups: KEYS_OF_GROUPS, words, keys: keysWithWords(words), limit: MEMORIES }),
        call<Hit[]>("search", { text: words, limit: MESSAGES }),
      ]);
      if (mine !== turn.current) return;
      setFound({ memories: facts.map((fact) => memory(fact, words)), messages: hits.map((hit) => message(hit, words)) });
    };
    const timer = setTimeout(() => act(ask), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return found;
}

function memory(fact: Fact, words: string): Found {
  const { id, key, value, source_message_id: source, quote } = fact;
  const name = keyInWords(key);
  return {
    id: `fact-${id}`,
    label: labelled(name, value),
    shown: (
      <>
        <span class="key">{marked(name, words)}</span> {marked(value, words)}
      </>
    ),
    icon: "memory",
    note: "",
    run: () => (source ? act(() => goToMessage(source, quote ?? undefined)) : openPanel(true)),
  };
}

function message(hit: Hit, words: string): Found {
  return {
    id: `message-${hit.message_id}`,
    label: hit.text,
    shown: around(hit),
    icon: "jump",
    note: `${hit.role === "user" ? tb.found.you : tb.found.memory}, ${ago(hit.created_at)}`,
    run: () => act(() => goToMessage(hit.message_id, words)),
  };
}
