/** Says what was done and offers to take it back for as long as the memory can. */

import { t } from "../i18n";
import type { Receipt } from "../model";
import { act, call, memoryNow, toast } from "./memory";
import { state, type Toast, type UndoKind } from "./state";
import { keepInTab, keptInTab } from "./tab";

export const UNDO_MS = 10_000;

export type Operation = Pick<Receipt, "operation_id" | "undo_until">;

interface Kept extends Operation {
  kind: UndoKind;
}

const KEPT = "undo";

export function offerUndo(
  { operation_id, undo_until }: Operation,
  kind: UndoKind,
  text: string,
  after: () => Promise<unknown>,
  more: { details?: readonly string[]; actions?: Toast["actions"]; before?: readonly Operation[] } = {},
): string {
  const { before = [], ...shown } = more;
  const undo = (): void =>
    act(async () => {
      await call("undo", { operation_id });
      // What went before it in the same breath comes back too, as far as the memory still can.
      for (const earlier of before.filter((one) => one.undo_until > Date.now())) {
        await call("undo", { operation_id: earlier.operation_id });
      }
      await after();
    });
  const actions = [{ label: t.undo, run: undo }, ...(more.actions ?? [])];
  return toast({ ...shown, text, until: undo_until, actions, undoes: { operation_id, kind } });
}

/**
 * The owner of the memory holds what can be taken back, and only in its own tab: offers outlive a reload of another
 * tab. Their words are not kept, because what was forgotten must not be written down again.
 */
export function keepOffers(): void {
  const other = memoryNow()?.status().owner === "other-tab";
  const offers = state.get().toasts.flatMap(({ undoes, until }) => (undoes ? [{ ...undoes, undo_until: until }] : []));
  keepInTab(KEPT, other && offers.length ? offers : null);
}

export function offerAgain(after: () => Promise<unknown>): void {
  const kept = keptInTab<Kept[]>(KEPT) ?? [];
  keepInTab(KEPT, null);
  if (memoryNow()?.status().owner !== "other-tab") return;
  for (const offer of kept.filter(({ undo_until }) => undo_until > Date.now()))
    offerUndo(offer, offer.kind, t.undoable[offer.kind], after);
}
