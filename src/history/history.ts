/**
 * What was said in a session, whatever agent recorded it.
 *
 * An importer turns foreign records into this model; everything later works on it alone. Order is the order in
 * which things were recorded. Text is kept as it came: caps, escapes and folding happen when it is printed.
 */

export interface History {
  readonly messages: readonly Message[];
}

/**
 * `tool` carries results only. A `system` message is a prompt that set the agent up, or carries a note about the
 * session.
 */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

export interface Message {
  /** Id of the source entry; `line:12` where the format has no ids. Unique within one history. */
  readonly id: string;
  readonly role: Role;
  readonly blocks: readonly Block[];
  /**
   * Set when the role did not write this itself: a short name of what put it there, such as `system-reminder`,
   * `compaction-summary`, `hook`, `command-output`. Printed with the text, so that nobody takes it for the user.
   */
  readonly injected?: string;
  /** Id of the subagent that was speaking; absent for the main agent. */
  readonly agent?: string;
  /** Set on messages of an abandoned branch that were asked for, or were taken back in place: the id of its last entry. */
  readonly branch?: string;
  /** Milliseconds since 1970, where the record says. */
  readonly timeMs?: number;
}

export type Block = TextBlock | ReasoningBlock | CallBlock | ResultBlock | MediaBlock | NoteBlock;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** As `Message.injected`, for one block of a message that is otherwise its role's own. */
  readonly injected?: string;
}

export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
}

export interface CallBlock {
  readonly type: 'call';
  /** Pairs with `ResultBlock.callId`; absent where the format pairs by position. */
  readonly callId?: string;
  readonly name: string;
  /** The arguments: a JSON value where the record holds one, else the raw string. */
  readonly input: unknown;
  /** One line in the model's words on why it makes the call, where the format records one. */
  readonly intent?: string;
}

export interface ResultBlock {
  readonly type: 'result';
  readonly callId?: string;
  /** Tool name, where the result states it. */
  readonly name?: string;
  readonly content: readonly (TextBlock | MediaBlock)[];
  readonly failed?: boolean;
  /** Flagged by the agent as of no use to the model: neither it nor its call is printed. */
  readonly useless?: boolean;
}

/** Something that is not text; its bytes are never kept. */
export interface MediaBlock {
  readonly type: 'media';
  readonly kind: 'image' | 'audio' | 'video' | 'document' | 'file' | 'encrypted';
  readonly mime?: string;
  /** Size of the decoded data. */
  readonly bytes?: number;
  /** File name or URL, as the record gives it. Never opened. */
  readonly name?: string;
}

/** A fact about the session rather than something said: a compaction boundary, a change of model, a rewind. */
export interface NoteBlock {
  readonly type: 'note';
  readonly text: string;
}
