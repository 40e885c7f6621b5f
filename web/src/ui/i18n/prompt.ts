/** The texts about what a model was sent; they are loaded with their dialog. */

import { language } from ".";
import type { Shape } from "./en";
import { en } from "./prompt-en";
import { zh } from "./prompt-zh";

export type PromptTexts = Shape<typeof en>;
export const tp: PromptTexts = language === "zh" ? zh : en;
