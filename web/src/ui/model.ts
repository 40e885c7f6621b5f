/** The records of py_memory as they arrive here: plain JSON, times in ms UTC. */

export interface Session {
  id: string;
  title: string | null;
  created_at: number;
  last_active_at: number;
  status: "active" | "completed" | "abandoned";
}

export interface Message {
  id: string;
  session_id: string;
  /** The message that it follows. */
  parent_id: string | null;
  created_at: number;
  role: "user" | "assistant" | "system" | "tool";
  content: string;
  edited: boolean;
  status: "complete" | "streaming" | "stopped" | "failed";
  /** What it is for; of the assistant: "ask" and "resume" end with a question. Not known of what is shown early. */
  intent?: string | null;
  /** What was changed on arrival, for example that NUL characters were replaced. */
  notes: string[];
}

export interface Fact {
  id: string;
  created_at: number;
  key: string;
  value: string;
  confidence: number;
  use_count: number;
  status: "candidate" | "current" | "superseded" | "disputed" | "expired" | "archived";
  source_message_id: string | null;
  quote: string | null;
  /** The words in which a day was named; `valid_from` is that day in `zone`. */
  spoken_words: string | null;
  zone: string | null;
  superseded_at: number | null;
  valid_from: number | null;
  valid_to: number | null;
  expires_at: number | null;
  pinned: boolean;
  needs_review: boolean;
  /** The product that had saved it, where it was brought along from one. */
  imported_from: string | null;
  /** Takes back what has just been done to it, where the memory can. */
  operation_id?: string | null;
}

/** A disputed fact and the current one that it disagrees with; `why` is "value" or a topic. */
export interface Conflict {
  fact: Fact;
  other: Fact;
  why: string;
}

/** A change that lost against another device's; see MemoryStore.sync_conflicts(). */
export interface SyncConflict {
  id: string;
  kind: string;
  row_id: string;
  changed_at: number;
  kept: Readonly<Record<string, unknown>>;
  lost: Readonly<Record<string, unknown>>;
  /** Of a fact. */
  key: string | null;
  /** What can be decided: kept, lost, both, new. */
  takes: readonly string[];
}

export interface SyncStatus {
  on: boolean;
  clock_offset_ms: number;
  changes: Readonly<Record<string, number>>;
  rejected: ReadonlyArray<{ kind: string; id: string; code: string }>;
}

/** What the next sync would send; see MemoryStore.preview_sync(). */
export interface SyncPreview {
  first: boolean;
  rows: Readonly<Record<string, number>>;
  forgotten: number;
  stays: Readonly<Record<string, number>>;
}

/** A part of a chat; see MemoryStore.read_chat(). */
export interface ChatPage {
  session: Session;
  messages: readonly Message[];
  earlier: boolean;
  later: boolean;
  alternatives: Readonly<Record<string, readonly string[]>>;
  facts: readonly Fact[];
  corrected: readonly Fact[];
}

/** A part of what waits for an answer; see MemoryStore.read_waiting(). */
export interface WaitingPage {
  facts: readonly Fact[];
  total: number;
  corrected: readonly Fact[];
  conflicts: readonly Conflict[];
}

/** What went at one moment, by table. */
export interface Forgotten {
  forgotten_at: number;
  counts: Record<string, number>;
}

/** Whether the day that was spoken of belongs to the fact (“the dentist is tomorrow”): it is then said beside it. */
export function isOfDay({ key, value, spoken_words, valid_from }: Fact): boolean {
  if (!spoken_words || valid_from === null) return false;
  return key.startsWith("user::event") || value.toLowerCase().includes(spoken_words.toLowerCase());
}

/** A memory that an answer rested on, as it is now. */
export interface Reason {
  kind: "messages" | "facts" | "summaries" | "tool_calls" | "experiences";
  id: string;
  why: {
    why?: string;
    because?: string;
    /** Of what was recalled: the words that fit, their weight, and by what it was multiplied. */
    terms?: readonly string[];
    own?: number;
    factors?: Readonly<Record<string, number>>;
  };
  status: string;
  text: string;
  said_at: number | null;
  quote: string | null;
  source_id: string | null;
  role: string | null;
  /** False for what the answer only named because it changed it, or offered to. */
  rested: boolean;
  key: string | null;
  value: string | null;
  since: number | null;
  confidence: number | null;
}

/** Why an answer says what it says; `model` is null where none was asked. */
export interface Explanation {
  message_id: string;
  reasons: readonly Reason[];
  model: string | null;
}

/** What an answer was made with, at a glance: how many memories, and its tools as (name, status). */
export interface AnswerBasis {
  message_id: string;
  memories: number;
  tools: ReadonlyArray<readonly [string, string]>;
}

export interface ToolCall {
  id: string;
  tool_name: string;
  status: string;
  input: unknown;
  output: unknown;
  error_message: string | null;
}

/** An exact find in a message: `start` and `length` are in code points of `text`. */
export interface Hit {
  message_id: string;
  session_id: string;
  role: string;
  created_at: number;
  text: string;
  start: number;
  length: number;
}

export interface PromptPart {
  part: string;
  role: string;
  text: string;
  tokens: number;
}

/** What a model was sent for an answer; `model` is null where none was asked. */
export interface Prompt {
  model: string | null;
  messages: ReadonlyArray<{ role: string; content: string }>;
  memories: readonly Reason[];
  tokens: number | null;
  counted: boolean;
  limit: number | null;
  left_out: Readonly<Record<string, number>>;
  /** Parts that have been forgotten since. */
  gone: number;
  exact: boolean;
  usage: Readonly<Record<string, number>> | null;
  parts: readonly PromptPart[];
  tools: readonly string[];
  tool_tokens: number | null;
}

export interface Receipt {
  operation_id: string;
  counts: Record<string, number>;
  undo_until: number;
  beyond: string[];
}

export interface Namespace {
  prefix: string;
  single_valued: boolean;
}

export interface ImportReport {
  imported: Record<string, number>;
  skipped: Record<string, number>;
  conflicts: number;
  unknown_columns: string[];
  refused: string[];
}

/** What an import of another product's export would bring; see MemoryStore.preview_import(). */
export interface ChatPreview {
  format: string;
  formats: Record<string, number>;
  conversations: number;
  messages: number;
  memories: number;
  /** The first saved memories. */
  samples: readonly string[];
  first: number | null;
  last: number | null;
  chats: ReadonlyArray<{ id: string; title: string | null; messages: number; first: number | null; last: number | null }>;
  /** How many more there are than `chats` lists. */
  more: number;
  /** By why they are left out. */
  skipped: Record<string, number>;
  ignored: readonly string[];
}

/** What has come of it; see MemoryStore.import_chats(). */
export interface ChatReport {
  conversations: Record<string, number>;
  messages: Record<string, number>;
  suggestions: Record<string, number>;
  skipped: ReadonlyArray<{ title: string | null; why: string }>;
  /** Ids of new ones. */
  sessions: readonly string[];
  cancelled: boolean;
  operation_id: string | null;
  undo_until: number | null;
}

/** A message that was sent and is not stored yet. */
export interface Outgoing {
  id: string;
  session_id: string | null;
  text: string;
  at: number;
  /** The message that it is an edit of. */
  instead_of?: string;
  /** The answer that is to be given anew; there is no text then. */
  again?: string;
  /** It lies on disk until it is answered. */
  kept?: boolean;
  /** Why it could not be stored. */
  problem?: Problem;
}

/** An error as the page shows it: by its code or class name, else in its own words. */
export interface Problem {
  name: string;
  message: string;
  code?: string;
}

export const MAX_MESSAGE_BYTES = 1 << 20;
export const MAX_TITLE_CHARACTERS = 200;
export const MAX_VALUE_CHARACTERS = 100;
export const MAX_FILE_BYTES = 512 << 20;
