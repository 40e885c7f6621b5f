/** Who answers, as the page shows it. How that is changed is loaded when it is needed. */

import type { PyMemory } from "../../client/types";
import { modelsChannel } from "../../host/names";
import { database } from "../../profiles/current";
import type { PortServer } from "../../models/port";
import { type Choice, type ModelSettings, NO_MODEL, readSettings } from "../../models/settings";
import { Store } from "./store";

/** What goes on. `kind` is the part of the dialog that it belongs to. */
export interface Progress {
  kind: Choice["kind"];
  step: "connecting" | "copying" | "downloading" | "loading" | "fetching";
  /** Of `total`; bytes or a share. */
  done?: number;
  total?: number;
}

interface ModelsState {
  settings: ModelSettings;
  /** The page that runs the model, if one does. */
  server: PortServer | null;
  /** It is this one. */
  here: boolean;
  /** Its model is being loaded. */
  loading: boolean;
  progress: Progress | null;
  problem: { kind: Choice["kind"]; text: string } | null;
  /** Names of the models that the connected server has; null: not asked since this page was opened. */
  list: readonly string[] | null;
  /** A key for the connected server is kept. */
  hasKey: boolean;
}

export const models = new Store<ModelsState>({
  settings: NO_MODEL,
  server: null,
  here: false,
  loading: false,
  progress: null,
  problem: null,
  list: null,
  hasKey: false,
});

/** Tells the other tabs that the settings have changed. */
export const others = new BroadcastChannel(modelsChannel(database));

/** Called after the memory has been opened, so that a start does not wait for it. */
export async function watchModels(memory: PyMemory): Promise<void> {
  memory.on("model", ({ server }) => models.set({ server }));
  others.onmessage = () => void readAgain(memory);
  await readAgain(memory);
}

async function readAgain(memory: PyMemory): Promise<void> {
  const { kind } = models.get().settings.choice;
  const settings = await readSettings(database);
  models.set({ settings });
  const runs = [kind, settings.choice.kind].some((one) => one === "device" || one === "browser");
  if (runs) (await import("./models")).follow(memory, settings);
}
