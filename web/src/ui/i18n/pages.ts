/** The texts of the page about the user, the palette and the list of shortcuts: they are loaded with them. */

import { language } from ".";
import type { Shape } from "./en";
import { en } from "./pages-en";
import { zh } from "./pages-zh";

export type PageTexts = Shape<typeof en>;
export const tp: PageTexts = language === "zh" ? zh : en;
