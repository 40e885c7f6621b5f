/** What the page shows. */

import type { MemoryFault, Status } from "../../client/types";
import type { StateBefore } from "../../host/rpc";
import type { Texts } from "../i18n";
import type { Fact, ImportReport, Message, Outgoing, Problem, Session, WaitingPage } from "../model";
import type { Backup } from "./backup";
import { Store } from "./store";

export type BootStep = "install" | "lock" | "load" | "restore" | "python" | "open";
export const BOOT_STEPS: readonly BootStep[] = ["install", "lock", "load", "restore", "python", "open"];

export type UndoKind = keyof Texts["undoable"];

export interface Toast {
  id: string;
  text: string;
  /** Further lines, smaller. */
  details?: readonly string[];
  actions: ReadonlyArray<{ label: string; run: () => void }>;
  /** When it goes away on its own (ms UTC). */
  until: number;
  /** What it offers to take back. */
  undoes?: { operation_id: string; kind: UndoKind };
  tone: "plain" | "problem";
}

export type Dialog =
  | { kind: "storage" }
  | { kind: "models" }
  | { kind: "prompt"; message: Message }
  | { kind: "forget"; fact: Fact }
  | { kind: "import"; files?: readonly File[] }
  | { kind: "export" }
  | { kind: "sync" }
  | { kind: "about" }
  | { kind: "settings" }
  | { kind: "health" }
  | { kind: "profiles" }
  | { kind: "palette" }
  | { kind: "shortcuts" }
  | { kind: "imported"; report: ImportReport }
  | { kind: "back"; before: StateBefore }
  | { kind: "replace"; name: string; bytes: Uint8Array<ArrayBuffer> };

export interface State {
  /** The memory answers. */
  ready: boolean;
  /** Sessions and facts have been read once. */
  loaded: boolean;
  /** What is shown was kept from the last visit. */
  early: boolean;
  boot: BootStep;
  /** The program is being fetched for the first time. */
  first: boolean;
  status: Status | null;
  online: boolean;
  /** The program is stored on this device. */
  worksOffline: boolean;
  /** The memory cannot be opened. */
  failure: MemoryFault | null;
  /** The last thing that went wrong while saving. */
  problem: Problem | null;
  /** Banners that the user has put away, by code. */
  dismissed: readonly string[];
  update: (() => void) | null;
  /** Another language has been chosen in another tab. */
  spoken: boolean;
  /** Another tab has taken the memory from this one. */
  taken: boolean;
  sessions: readonly Session[];
  /** Of the list of chats a part is shown: how many stand before it, and whether others follow. */
  sessionsBefore: number;
  moreSessions: boolean;
  query: string;
  /** The session on screen; null is a chat that has not begun. */
  current: string | null;
  /** As it was last read; it need not stand in the list. */
  opened: Session | null;
  /** The incognito chat, if there is one: its session too. Nothing of it may be written anywhere. */
  incognito: string | null;
  /** An unbroken run of its messages, and whether others stand before and after it. */
  messages: readonly Message[];
  /** Of each message that stands beside others (edits of one message, answers to one message) the ids of all, oldest
   * first. */
  branches: Readonly<Record<string, readonly string[]>>;
  earlier: boolean;
  later: boolean;
  outgoing: readonly Outgoing[];
  /** Rounds that are being answered: id of the user's message → its session, null if not known yet. */
  running: ReadonlyMap<string, string | null>;
  /** Of what is current, that which the messages on screen said and what they propose would correct. */
  facts: readonly Fact[];
  /** What is proposed in the messages on screen. */
  proposals: readonly Fact[];
  /** Of all that waits for an answer, a part, and how much there is. */
  waiting: WaitingPage;
  /** Keys and prefixes of keys that hold many values. */
  manyValued: readonly string[];
  /** The panel: what of all that is current is read so far, how much there is, and which words it is to hold. */
  remembered: readonly Fact[];
  rememberedCount: number;
  wanted: string;
  /** Earlier values of it. */
  former: ReadonlyMap<string, readonly Fact[]>;
  /** What is past its time. */
  expired: readonly Fact[];
  panel: boolean;
  drawer: boolean;
  dialog: Dialog | null;
  toasts: readonly Toast[];
  /** A message to scroll to and mark, and the words in it. */
  target: { message: string; at: number; words?: string } | null;
  /** Facts whose words are marked in their message because their card is pointed at. */
  pointed: string | null;
  /** What is in the message box. */
  draft: string;
  /** `chats`: another product's export is being added, of which its dialog tells more. */
  busy: "export" | "import" | "chats" | null;
  /** The last export; null: never. */
  backup: Backup | null;
  /** Rows by table, and bytes. */
  counts: Readonly<Record<string, number>> | null;
  installable: (() => void) | null;
}

export const state = new Store<State>({
  ready: false,
  loaded: false,
  early: false,
  boot: "install",
  first: false,
  status: null,
  online: navigator.onLine,
  worksOffline: false,
  failure: null,
  problem: null,
  dismissed: [],
  update: null,
  spoken: false,
  taken: false,
  sessions: [],
  sessionsBefore: 0,
  moreSessions: false,
  query: "",
  current: null,
  opened: null,
  incognito: null,
  messages: [],
  branches: {},
  earlier: false,
  later: false,
  outgoing: [],
  running: new Map(),
  facts: [],
  proposals: [],
  waiting: { facts: [], total: 0, corrected: [], conflicts: [] },
  manyValued: [],
  remembered: [],
  rememberedCount: 0,
  wanted: "",
  former: new Map(),
  expired: [],
  panel: false,
  drawer: false,
  dialog: null,
  toasts: [],
  target: null,
  pointed: null,
  draft: "",
  busy: null,
  backup: null,
  counts: null,
  installable: null,
});

/** Whether an answer to the chat on screen is on its way. Until the memory has started there is none. */
export const isAnswering = ({ ready, running, current }: State): boolean =>
  ready && [...running.values()].some((session) => session === current || session === null);

/** Text of answers that are still arriving, apart so that a piece renders one message only. */
export const streams = new Store<Record<string, string>>({});

/** Why an answer has not begun yet: a busy or lost model is asked again at `until` (ms UTC), or the answer before it is
 * still being given. */
export type Delay = { kind: "retry"; why: string; until: number; attempt: number; of: number } | { kind: "turn" };

/** By id of the answer. */
export const delays = new Store<Record<string, Delay | undefined>>({});
