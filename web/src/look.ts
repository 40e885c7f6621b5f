/**
 * How the page looks: chosen for this browser, for all profiles, and in force before anything is painted. Style sheets go by
 * attributes of the root element, which a content security policy lets scripts set.
 */

import { LOOK } from "./host/names";

export const THEMES = ["system", "light", "dark"] as const;
export const TEXT_SIZES = ["small", "normal", "large", "largest"] as const;
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Look {
  theme: (typeof THEMES)[number];
  text: (typeof TEXT_SIZES)[number];
  /** Null: as the browser is set. */
  language: Language | null;
}

const PLAIN: Look = { theme: "system", text: "normal", language: null };

export function keptLook(): Look {
  try {
    const kept = JSON.parse(localStorage.getItem(LOOK) ?? "null") as Partial<Look> | null;
    return {
      theme: oneOf(THEMES, kept?.theme) ?? PLAIN.theme,
      text: oneOf(TEXT_SIZES, kept?.text) ?? PLAIN.text,
      language: oneOf(LANGUAGES, kept?.language) ?? PLAIN.language,
    };
  } catch {
    return PLAIN;
  }
}

/** The rest may have been chosen in another tab. False where the browser keeps nothing: then it holds for this visit. */
export function keepLook(changes: Partial<Look>): boolean {
  try {
    localStorage.setItem(LOOK, JSON.stringify({ ...keptLook(), ...changes }));
    return true;
  } catch {
    return false;
  }
}

/** The address wins (`?lang=zh`), then what was chosen, then what the browser prefers. */
export function languageNow(): Language {
  const asked = new URLSearchParams(location.search).get("lang") ?? keptLook().language ?? navigator.language;
  return asked.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const localeOf = (language: Language): string => (language === "zh" ? "zh-Hans" : "en");

export function applyLook({ theme, text }: Look): void {
  const { dataset } = document.documentElement;
  const dark = theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  dataset["theme"] = dark ? "dark" : "light";
  dataset["text"] = text;
  document.querySelector<HTMLMetaElement>("meta[name=color-scheme]")!.content = dark ? "dark" : "light";
  // The colour of what surrounds the page, where a device shows one.
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    meta.dataset["own"] ??= meta.media;
    meta.media = theme === "system" ? meta.dataset["own"] : meta.dataset["own"].includes(theme) ? "" : "not all";
  }
}

/** Puts it in force and keeps it so when the device changes between day and night, or another tab changes it. */
export function look(): void {
  document.documentElement.lang = localeOf(languageNow());
  const apply = (): void => applyLook(keptLook());
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  onLookElsewhere(apply);
}

/** Another tab has changed it. Returns what ends this. */
export function onLookElsewhere(follow: () => void): () => void {
  const listen = ({ key }: StorageEvent): void => {
    if (key === LOOK || key === null) follow();
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}

function oneOf<T extends string>(all: readonly T[], value: unknown): T | null {
  return all.find((one) => one === value) ?? null;
}
