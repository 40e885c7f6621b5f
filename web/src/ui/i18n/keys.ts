/** Fact keys in human words. */

import { t } from ".";

export const GROUPS = ["tasks", "you", "people", "taste", "projects", "notes", "other"] as const;
export type Group = (typeof GROUPS)[number];

const PEOPLE = ["family", "pet", "relation"];

/** The keys of each group, and beginnings of keys, which end in "::". What is in none is among the others. */
const KEYS: Record<Exclude<Group, "other">, readonly string[]> = {
  tasks: ["task::"],
  you: [
    ...["name", "age", "birthday", "language", "speaks", "job", "work", "studies", "condition"].map((name) => `user::${name}`),
    "user::contact::",
  ],
  people: [...PEOPLE.map((kind) => `user::${kind}::`), "user::home", "user::address", "user::hometown"],
  taste: [...["diet", "allergy", "likes", "dislikes", "favorite"].map((name) => `user::${name}`), "user::favorite::"],
  projects: ["user::decision", "user::event", "user::project", "user::project::", "order::", "product::"],
  notes: ["user::note"],
};

export const KEYS_OF_GROUPS = GROUPS.flatMap((group) => (group === "other" ? [] : [KEYS[group]]));

const isUnder = (key: string, name: string): boolean => (name.endsWith("::") ? key.startsWith(name) : key === name);

export function groupOf(key: string): Group {
  return GROUPS[KEYS_OF_GROUPS.findIndex((names) => names.some((name) => isUnder(key, name)))] ?? "other";
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

/** Keys, and beginnings of keys, that read in human words as something with these words in it. */
export function keysWithWords(words: string): string[] {
  const sought = words.toLowerCase();
  const has = (text: string): boolean => text.toLowerCase().includes(sought);
  const known = Object.entries(t.keys).flatMap(([key, text]) => (has(text) ? [key] : []));
  const relations = Object.entries(t.relations).flatMap(([who, text]) => (has(text) ? [who] : []));
  const people = relations.flatMap((who) => PEOPLE.flatMap((kind) => [`user::${kind}::${who}`, `user::${kind}::${who}::`]));
  return [...known, ...people, ...(has(t.task) ? ["task::"] : [])];
}

/** The keys that have human words of their own. */
export const KNOWN_KEYS: readonly string[] = [
  ...Object.keys(t.keys),
  ...Object.keys(t.relations).flatMap((who) =>
    PEOPLE.flatMap((kind) => [`user::${kind}::${who}`, ...Object.keys(t.details).map((detail) => `user::${kind}::${who}::${detail}`)]),
  ),
];
