/** The language of the page, and what depends on it: texts, dates, sizes. */

import { type Language, languageNow, localeOf } from "../../look";
import type { Problem } from "../model";
import { en, type Texts } from "./en";
import { zh } from "./zh";

export type { Texts };

const DAY_MS = 86_400_000;
const RELATIVE_DAYS = 30;

export const language: Language = languageNow();
export const locale = localeOf(language);
export const t: Texts = language === "zh" ? zh : en;

/** What a value is, before it. */
export const labelled = (name: string, value: string): string => `${name}${language === "zh" ? "：" : ": "}${value}`;
/** What is said beside something. */
export const aside = (text: string): string => (language === "zh" ? `（${text}）` : ` (${text})`);

/** Days are written as the assistant writes them: 5 July 2025, 2025年7月5日. */
const DAY = { year: "numeric", month: "long", day: "numeric" } as const;
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const dates = language === "zh" ? "zh-Hans" : "en-GB";
const dayFormat = new Intl.DateTimeFormat(dates, DAY);
const timeFormat = new Intl.DateTimeFormat(dates, TIME);
export const listed = (parts: string[]): string => language === "zh" ? parts.join("、") : new Intl.ListFormat(dates).format(parts);
const relative = new Intl.RelativeTimeFormat(dates, { numeric: "auto" });

/** The day by the calendar of this device, or of the zone in which it was meant. */
export function day(ms: number, zone: string | null = null): string {
  if (zone === null) return dayFormat.format(ms);
  try {
    return new Intl.DateTimeFormat(dates, { ...DAY, timeZone: zone }).format(ms);
  } catch {
    return dayFormat.format(ms); // a zone that this browser does not know
  }
}

export const full = (ms: number): string => `${dayFormat.format(ms)}${language === "zh" ? " " : ", "}${timeFormat.format(ms)}`;

/** Whole days between two instants by the calendar of this device. */
export function daysAgo(ms: number, now = Date.now()): number {
  return Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(ms).setHours(0, 0, 0, 0)) / DAY_MS);
}

/** The time if it is today, else the day. */
export const moment = (ms: number): string => (daysAgo(ms) === 0 ? timeFormat.format(ms) : day(ms));

export function ago(ms: number): string {
  const minutes = Math.floor((Date.now() - ms) / 60_000);
  if (minutes < 1) return t.ago.now;
  if (minutes < 60) return relative.format(-minutes, "minute");
  const days = daysAgo(ms);
  if (days >= RELATIVE_DAYS) return day(ms);
  return days === 0 ? relative.format(-Math.floor(minutes / 60), "hour") : relative.format(-days, "day");
}

export function size(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const power = Math.min(bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: units[power] as string,
    unitDisplay: power ? "short" : "long", // “byte” for any number is what the short one says
    maximumFractionDigits: power > 1 ? 2 : 0,
  }).format(bytes / 1024 ** power);
}

/** “1 chat, 2 messages and 3 memories”: rows by table; the small print of the tables is summed up only where it is
 * all there is. Empty where there is nothing. */
export function counted(rows: Readonly<Record<string, number>>): string {
  const named = (["sessions", "messages", "facts"] as const).filter((table) => rows[table]);
  if (named.length) return listed(named.map((table) => t.counted[table](rows[table] as number)));
  const others = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return others ? t.counted.others(others) : "";
}

/** Sentences one after the other; Chinese ones need no space between them. */
export const inARow = (...sentences: string[]): string => sentences.filter(Boolean).join(language === "zh" ? "" : " ");

/** A sentence for an error: the page's own where it has one, else what the memory said. */
export function sentence(problem: Problem): string {
  return ownSentence(problem) ?? problem.message;
}

export function ownSentence({ code, name }: Problem): string | undefined {
  return t.problems[code ?? ""] ?? t.problems[name];
}
