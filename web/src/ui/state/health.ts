/** The state of the memory: what it finds, and putting it right. Loaded with its dialog. */

import { ts } from "../i18n/settings";
import type { Fact, Receipt } from "../model";
import { refreshFacts } from "./facts";
import { call, toast } from "./memory";
import { Store } from "./store";
import { offerUndo } from "./undo";

/** What MemoryStore.health() finds, with the facts that it is about. */
export interface Finding {
  kind: keyof typeof ts.health.kinds;
  count: number;
  subjects: readonly string[];
  fix: string | null;
  facts: readonly Fact[];
  /** What is not about facts, in the words of whoever found it. */
  details: readonly string[];
}

export const CHECKS = Object.keys(ts.health.checks);
/** Their subjects say something to people. */
const IN_WORDS = ["damaged", "embedder"];

export const health = new Store<{ findings: readonly Finding[] | null; busy: boolean }>({ findings: null, busy: false });

export async function check(): Promise<void> {
  health.set({ busy: true });
  try {
    const found = await call<Finding[]>("health");
    const ids = [...new Set(found.flatMap(({ subjects }) => subjects))];
    const facts = ids.length ? await call<Fact[]>("list_facts", { ids, status: null }) : [];
    const known = new Map(facts.map((fact) => [fact.id, fact]));
    const findings = found.map((finding) => ({
      ...finding,
      facts: finding.subjects.flatMap((id) => known.get(id) ?? []),
      details: IN_WORDS.includes(finding.kind) ? finding.subjects : [],
    }));
    health.set({ findings });
  } finally {
    health.set({ busy: false });
  }
}

export async function fix({ kind }: Finding): Promise<void> {
  const receipt = await call<Receipt>("fix_health", { kind });
  const { rebuilt, asked, fixed } = ts.health;
  const count = receipt.counts[kind] ?? 0;
  const text = kind === "index_unsound" ? rebuilt : kind === "contradictions" ? asked(count) : fixed(count);
  if (receipt.undo_until) offerUndo(receipt, "fixed", text, again);
  else toast({ text });
  await again();
}

const again = (): Promise<unknown> => Promise.all([check(), refreshFacts()]);
