/** Fact keys in human words. */

import { t } from ".";

export const GROUPS = ["tasks", "you", "people", "taste", "work", "contact", "dates", "notes", "other"] as const;
export type Group = (typeof GROUPS)[number];

const GROUP_OF: Record<string, Group> = {
  "user::name": "you",
  "user::age": "you",
  "user::birthday": "you",
  "user::home": "you",
  "user::address": "you",
  "user::hometown": "you",
  "user::language": "you",
  "user::diet": "taste",
  "user::allergy": "taste",
  "user::likes": "taste",
  "user::dislikes": "taste",
  "user::work": "work",
  "user::job": "work",
  "user::decision": "dates",
  "user::event": "dates",
  "user::note": "notes",
};

const PEOPLE = ["family", "pet", "relation"];

export function groupOf(key: string): Group {
  if (key.startsWith("task::")) return "tasks";
  if (PEOPLE.some((kind) => key.startsWith(`user::${kind}::`))) return "people";
  if (key.startsWith("user::contact::")) return "contact";
  return GROUP_OF[key] ?? "other";
}

const plain = (part: string): string => {
  const words = part.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** “Daughter’s age” for user::family::daughter::age. A key that is not known is shown by its last parts. */
export function keyInWords(key: string): string {
  if (key.startsWith("task::")) return t.task;
  const known = t.keys[key];
  if (known) return known;
  const parts = key.split("::");
  if (parts[0] === "user" && parts[1] && PEOPLE.includes(parts[1]) && parts[2]) {
    const who = t.relations[parts[2]] ?? plain(parts[2]);
    return parts[3] ? t.relationDetail(who, t.details[parts[3]] ?? plain(parts[3])) : who;
  }
  return parts
    .slice(parts[0] === "user" && parts.length > 1 ? 1 : 0)
    .map(plain)
    .join(" · ");
}
