/** Making, renaming, changing and deleting profiles. Loaded with their dialog. */

import { openMemory } from "../../client";
import { databaseOf, FIRST, profile } from "../../profiles/current";
import { areSame, isSeen, tidied } from "../../profiles/names";
import { createProfile, exists, type Profile, renameProfile } from "../../profiles/registry";
import { finishRemoval, forgetChoice, removeProfile } from "../../profiles/removal";
import { size, t } from "../i18n";
import { ts } from "../i18n/settings";
import { download, exportFile, fileName, plainName } from "./files";
import { memoryNow, toast } from "./memory";
import { announce, leaveFor, letGo, nameOf, profiles, refreshProfiles } from "./profile";
import { state } from "./state";

export const MAX_NAME_CHARACTERS = 60;

/** Why a name cannot be given; null: it can. */
export function problemWith(name: string, own: string | null = null): string | null {
  const same = (one: Profile): boolean => areSame(nameOf(one), name);
  if (!isSeen(name)) return ts.profiles.noName;
  return profiles.get().list?.some((one) => one.id !== own && same(one)) ? ts.profiles.nameTaken : null;
}

export async function add(name: string): Promise<void> {
  if (mustStay()) return;
  const made = await createProfile(tidied(name));
  announce({ type: "changed" });
  await refreshProfiles();
  await change(made);
}

export async function rename(id: string, name: string): Promise<void> {
  await renameProfile(id, tidied(name));
  announce({ type: "changed" });
  await refreshProfiles();
}

/** This tab goes on with another profile, once all that is in this one is on disk, and what is forgotten is not. */
export async function change(to: Profile): Promise<void> {
  if (!(await mayLeave())) return;
  if (await exists(to.id)) leaveFor(to, null);
  else await refreshProfiles();
}

/** Says why this profile cannot be left now, if so. */
function mustStay(): boolean {
  const { incognito, busy } = state.get();
  const why = incognito ? ts.profiles.incognitoOpen : busy ? ts.profiles.busy : null;
  if (why) toast({ text: why, tone: "problem" });
  return why !== null;
}

async function mayLeave(): Promise<boolean> {
  if (mustStay()) return false;
  if (!state.get().ready) return true; // what was written waits on disk
  const saved = await settle().then(() => true, () => false);
  if (!saved) toast({ text: ts.profiles.unsaved, tone: "problem" });
  return saved;
}

/** Where another tab keeps the memory, that one goes on, and offers to undo for as long as it may. */
async function settle(): Promise<void> {
  const memory = memoryNow();
  await memory?.flush();
  if (memory?.status().owner === "this-tab") await memory.call("finish_forgetting");
}

/** Its whole memory as a file. Another one than this is opened for it, beside this one. */
export async function exportProfile(one: Profile): Promise<void> {
  if (one.id === profile.id) return exportFile();
  const memory = openMemory({ database: databaseOf(one.id), create: one.id === FIRST });
  try {
    await memory.ready;
    const bytes = await memory.exportFile();
    const name = fileName(plainName(nameOf(one)));
    download(new Blob([bytes], { type: "application/vnd.sqlite3" }), name);
    toast({ text: t.files.exported(name, size(bytes.length)) });
  } finally {
    memory.close();
  }
}

export const remove = (one: Profile): Promise<void> => leaveNothingOf(one, removeProfile);
/** What a page that was closed has begun. */
export const finish = (id: string): Promise<void> => leaveNothingOf({ id, name: null }, finishRemoval);

async function leaveNothingOf(one: Profile, work: typeof removeProfile): Promise<void> {
  const mine = one.id === profile.id;
  const said = t.sessions.profileDeleted(nameOf(one));
  if (mine) letGo();
  await work(one.id, announce, () => toast({ text: ts.profiles.asleep, tone: "problem" }));
  forgetChoice(one.id);
  if (mine) return leaveFor({ id: FIRST, name: null }, said);
  toast({ text: said });
  await refreshProfiles();
}

/** Where nothing is kept there can be no other profile. */
export const areKept = (): boolean => "locks" in navigator && !state.get().status?.memoryOnly;
