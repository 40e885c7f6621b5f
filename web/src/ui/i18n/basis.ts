/** Texts about what answers were made with, about forgetting, and about finding the words. */

import { language } from ".";
import { en } from "./basis-en";
import type { Shape } from "./en";
import { zh } from "./basis-zh";

export type BasisTexts = Shape<typeof en>;
export const tb: BasisTexts = language === "zh" ? zh : en;
