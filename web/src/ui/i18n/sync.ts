/** The texts about syncing, apart from the others: they are loaded with the dialog. */

import { language } from ".";
import type { Shape } from "./en";
import { en } from "./sync-en";
import { zh } from "./sync-zh";

export type SyncTexts = Shape<typeof en>;
export const ts: SyncTexts = language === "zh" ? zh : en;
