/** Language of the page: `?lang=`, else the browser's. */

import { type Texts, en } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh";

function choose(): Language {
  const wanted = new URLSearchParams(location.search).get("lang") ?? navigator.language;
  return wanted.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const language = choose();
const texts = language === "zh" ? zh : en;

export type TextKey = keyof Texts;

/** The text for a key, with `{name}` replaced by the values. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const LOCALE = language === "zh" ? "zh-CN" : "en-GB";
const dayFormat = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" });
const timeFormat = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

export const day = (ms: number): string => dayFormat.format(ms);
export const time = (ms: number): string => timeFormat.format(ms);

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let size = count;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toLocaleString(LOCALE, { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit] ?? ""}`;
}

const KEYS: Record<string, readonly [string, string]> = {
  "user::name": ["Name", "名字"],
  "user::age": ["Age", "年龄"],
  "user::diet": ["Diet", "饮食"],
  "user::allergy": ["Allergy", "过敏"],
  "user::likes": ["Likes", "喜欢"],
  "user::dislikes": ["Dislikes", "不喜欢"],
  "user::home": ["Home", "住处"],
  "user::address": ["Address", "地址"],
  "user::hometown": ["From", "老家"],
  "user::work": ["Works at", "工作单位"],
  "user::job": ["Job", "职业"],
  "user::birthday": ["Birthday", "生日"],
  "user::language": ["Language", "语言"],
  "user::note": ["Note", "备忘"],
  "user::decision": ["Decision", "决定"],
  "user::event": ["Appointment", "日程"],
  "user::contact::email": ["Email", "邮箱"],
  "user::contact::phone": ["Phone", "电话"],
};
const RELATIONS: Record<string, readonly [string, string]> = {
  daughter: ["Daughter", "女儿"],
  son: ["Son", "儿子"],
  wife: ["Wife", "妻子"],
  husband: ["Husband", "丈夫"],
  partner: ["Partner", "伴侣"],
  girlfriend: ["Girlfriend", "女朋友"],
  boyfriend: ["Boyfriend", "男朋友"],
  mother: ["Mother", "母亲"],
  father: ["Father", "父亲"],
  sister: ["Sister", "姐妹"],
  brother: ["Brother", "兄弟"],
  grandmother: ["Grandmother", "祖母"],
  grandfather: ["Grandfather", "祖父"],
  dog: ["Dog", "狗"],
  cat: ["Cat", "猫"],
};

/** A fact's key as people say it. */
export function keyInWords(key: string): string {
  const at = language === "zh" ? 1 : 0;
  const known = KEYS[key];
  if (known) return known[at];
  const parts = key.split("::");
  if (parts[0] === "task") return t("groupTasks");
  const relation = parts[1] === "family" ? RELATIONS[parts[2] ?? ""] : undefined;
  if (relation && parts[3] === "age") return language === "zh" ? `${relation[1]}的年龄` : `${relation[0]}'s age`;
  return relation ? relation[at] : parts.slice(1).join(" · ");
}
