/** Names of profiles, which the user types to open and to delete them. */

/** As it is read, and as it can be typed: without what is not seen, and with single spaces. */
export const asRead = (name: string): string =>
  name.normalize("NFC").replace(/[\p{Cc}\p{Cf}\p{DI}]/gu, (one) => (/[\t-\r]/.test(one) ? " " : "")).replace(/\s+/g, " ").trim();

/** Whether anything of it can be seen. */
export const isSeen = (name: string): boolean => /[^\p{M}\p{Z}\u2800]/u.test(asRead(name));

export const areSame = (one: string, other: string): boolean => asRead(one).toLowerCase() === asRead(other).toLowerCase();

/** As it is kept: what joins letters and emojis stays in it. */
export const tidied = (name: string): string => name.normalize("NFC").replace(/\s+/g, " ").trim();
