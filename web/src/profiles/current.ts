/** Which profile this tab shows. Read before anything else, so it must not wait. */

import { DATABASE, PROFILES, profileDatabase } from "../host/names";

interface Chosen {
  id: string;
  /** As it was called last, to have something to show before the list has been read. */
  name: string | null;
}

/** The profile that every browser has; it cannot be told from a browser without profiles. */
export const FIRST = "";

/** A tab stays with its profile; a new one begins with the one that was chosen last. */
function chosenHere(): Chosen {
  try {
    const kept = sessionStorage.getItem(PROFILES.chosen) ?? localStorage.getItem(PROFILES.chosen);
    const { id, name } = JSON.parse(kept ?? "null") as Chosen;
    const chosen = { id: typeof id === "string" && /^[\w-]*$/.test(id) ? id : FIRST, name: typeof name === "string" ? name : null };
    sessionStorage.setItem(PROFILES.chosen, JSON.stringify(chosen));
    return chosen;
  } catch {
    return { id: FIRST, name: null };
  }
}

/** For the next load of this tab, and for tabs that are opened from now on. */
export function choose(id: string, name: string | null): void {
  const chosen = JSON.stringify({ id, name } satisfies Chosen);
  sessionStorage.setItem(PROFILES.chosen, chosen);
  localStorage.setItem(PROFILES.chosen, chosen);
}

export const databaseOf = (id: string): string => (id === FIRST ? DATABASE : profileDatabase(id));

export const profile = chosenHere();
export const database = databaseOf(profile.id);
/** Further ones are made when they are asked for; one that is not there has been deleted. */
export const create = profile.id === FIRST;
