/** The texts about who answers, apart from the others: they are loaded with the dialog. */

import { language } from ".";
import type { Shape } from "./en";
import { en } from "./models-en";
import { zh } from "./models-zh";

export type ModelTexts = Shape<typeof en>;
export const tm: ModelTexts = language === "zh" ? zh : en;
