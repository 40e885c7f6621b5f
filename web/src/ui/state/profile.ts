/** Which profile this tab shows, and what becomes of it while other tabs rename and delete profiles. */

import { PROFILES } from "../../host/names";
import { choose, databaseOf, FIRST, profile } from "../../profiles/current";
import { isSeen } from "../../profiles/names";
import { exists, listProfiles, type Profile, removalsBegun } from "../../profiles/registry";
import type { Notice } from "../../profiles/removal";
import { t } from "../i18n";
import { memoryNow, toast } from "./memory";
import { Store } from "./store";
import { keepNothing } from "./tab";

interface Profiles {
  /** Null until it has been read. */
  list: readonly Profile[] | null;
}

export const profiles = new Store<Profiles>({ list: null });

const channel = new BroadcastChannel(PROFILES.channel);
export const announce = (notice: Notice): void => channel.postMessage(notice);

export function nameOf({ id, name }: Profile): string {
  return name !== null && isSeen(name) ? name : id === FIRST ? t.sessions.firstProfile : t.sessions.namelessProfile;
}

/** Of the profile of this tab, where there are others to tell it from; else null. */
export function shownName({ list }: Profiles): string | null {
  if (list ? list.length < 2 : profile.id === FIRST) return null;
  return nameOf(list?.find(({ id }) => id === profile.id) ?? profile);
}

export async function refreshProfiles(): Promise<void> {
  const list = await listProfiles();
  profiles.set({ list });
}

/** Called once the memory has been opened, so that a start does not wait for it. */
export async function watchProfiles(): Promise<void> {
  channel.onmessage = ({ data }: MessageEvent<Notice>) => void receive(data);
  const note = sessionStorage.getItem(PROFILES.note);
  sessionStorage.removeItem(PROFILES.note);
  if (note !== null) toast({ text: note });
  for (const id of await removalsBegun()) {
    // Where it is this profile, it is deleted all the same, as was asked for.
    const { finish } = await import("./profiles");
    await finish(id);
  }
  await refreshProfiles();
  await dropLeftovers();
}

/** The memory of this tab cannot be opened because it is no longer there. */
export async function profileGone(): Promise<void> {
  // One that is still listed has been removed by the browser: it is opened anew, and says that.
  if (!(await exists(profile.id))) leaveFor({ id: FIRST, name: null }, t.sessions.profileGone);
  else location.reload();
}

/** Goes on with another profile; `note` is said there. */
export function leaveFor({ id, name }: Profile, note: string | null): void {
  choose(id, name);
  if (note !== null) sessionStorage.setItem(PROFILES.note, note);
  location.reload();
}

/** This tab lets go of its memory, which is being deleted. */
export function letGo(): void {
  keepNothing();
  memoryNow()?.close();
}

async function receive(notice: Notice): Promise<void> {
  if (notice.type === "changed") return refreshProfiles();
  const mine = notice.id === profile.id;
  if (notice.type === "removing") return mine ? letGo() : refreshProfiles();
  const { forgetPage } = await import("../../profiles/removal");
  forgetPage(databaseOf(notice.id));
  if (mine) leaveFor({ id: FIRST, name: null }, notice.id === FIRST ? null : t.sessions.profileGone);
  else await refreshProfiles();
}

/** What a tab that slept while a profile was deleted has kept of it. */
async function dropLeftovers(): Promise<void> {
  const known = new Set(profiles.get().list?.map(({ id }) => databaseOf(id)));
  for (const key of Object.keys(sessionStorage)) {
    const database = /^(py-memory:[\w-]+):[\w-]+$/.exec(key)?.[1];
    if (database && !known.has(database)) sessionStorage.removeItem(key);
  }
}
