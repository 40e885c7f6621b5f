/** The texts of Settings, of the state of the memory, and of profiles: they are loaded with their dialogs. */

import { language } from ".";
import type { Shape } from "./en";
import { en } from "./settings-en";
import { zh } from "./settings-zh";

export type SettingsTexts = Shape<typeof en>;
export const ts: SettingsTexts = language === "zh" ? zh : en;
