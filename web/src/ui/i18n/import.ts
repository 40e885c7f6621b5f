/** The texts about files that come in and go out, apart from the others: they are loaded with their dialogs. */

import { language } from ".";
import type { Shape } from "./en";
import { en } from "./import-en";
import { zh } from "./import-zh";

export type ImportTexts = Shape<typeof en>;
export const ti: ImportTexts = language === "zh" ? zh : en;
