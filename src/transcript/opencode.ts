/**
 * Sessions of OpenCode: the JSON of `opencode export`, the bare array of its HTTP API, and the lines that
 * `opencode-source.ts` makes of its storage folder and its database. A source may hold several sessions, of which
 * the first is the one that was asked for and those it started are its subagents.
 */
import type { Message } from '../history/history.js';
import { wholeJsonText } from '../history/json-text.js';
import { type Draft, hasContent, noteDraft, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink } from './importer.js';
import {
  childSessions,
  messageOf,
  type OpenCodeMessage,
  openCodeDrafts,
  systemPromptOf,
} from './opencode-messages.js';
import { withoutCopies } from './subagent-copies.js';
import { orderSubagents } from './subagent-order.js';

export const openCode: Importer = {
  name: 'opencode',
  title: 'an OpenCode session',
  reads: 'records',
  // An export that also caught stderr begins with a line of words.
  mixed: true,
  detect,
  open: (context) => new OpenCodeSink(context),
};

const exportLine = /^\s*Exporting session/m;

function detect({ records, jsonShare, head }: Probe): Confidence {
  if (jsonShare <= 0.5 && !exportLine.test(head.slice(0, 2000))) return 'no';
  const isOne = records.some((record) => {
    if (messageOf(record) !== undefined) return true;
    if (Array.isArray(record)) return record.some((item) => messageOf(item) !== undefined);
    const fields = fieldsOf(record);
    const info = fieldsOf(fields?.['info']);
    const messages = fields?.['messages'];
    if (info === undefined || !Array.isArray(messages)) return false;
    if (messages.length === 0) return 'projectID' in info || 'directory' in info;
    return messages.some((item) => messageOf(item) !== undefined);
  });
  return isOne ? 'certain' : 'no';
}

interface Session {
  readonly id: string;
  info: Fields;
  readonly active: Message[];
  /** Messages that were taken back are still stored, until the session goes on. */
  readonly undone: Message[];
  /** Id of the last message that was taken back; set from the first one on. */
  undoneTo?: string;
  /** The first system prompt that was stated. */
  prompt?: Message;
  readonly drafts: Map<string, readonly Draft[]>;
  count: number;
}

class OpenCodeSink implements RecordSink {
  readonly #context: ImportContext;
  readonly #sessions = new Map<string, Session>();
  readonly #nextId = uniqueIds();
  readonly #callOfChild = new Map<string, string>();
  #cwd: string | undefined;
  #model: string | undefined;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  record(value: unknown, line: number): void {
    const { tally } = this.#context;
    const record = fieldsOf(value);
    const message = messageOf(value);
    if (message !== undefined) {
      this.#add(this.#session(textOf(message.info['sessionID']) ?? ''), message);
      return;
    }
    const messages = Array.isArray(value) ? value : record?.['messages'];
    if (!Array.isArray(messages)) {
      tally.unknown('record without messages');
      return;
    }
    const info = fieldsOf(record?.['info']);
    const first = messages.map(messageOf).find((item) => item !== undefined);
    const id = textOf(info?.['id']) ?? textOf(first?.info['sessionID']) ?? `line:${line}`;
    const session = this.#session(id);
    if (info !== undefined) session.info = info;
    for (const item of messages) {
      const each = messageOf(item);
      if (each === undefined) tally.unknown('item that is no message');
      else this.#add(session, each);
    }
    // Every change of the list is a call in the session.
    tally.skip('todo', listOf(record?.['todos']).length);
  }

  finish(): Imported {
    const { tally, options } = this.#context;
    const [main, ...others] = this.#sessions.values();
    if (main === undefined) return { history: { messages: [] } };
    for (const session of this.#sessions.values()) this.#warnOfLostRevert(session);
    const children = this.#descendants(main);
    const lanes = options.subagents ? this.#lanes(children) : [];
    if (!options.subagents) {
      for (const child of children) tally.skip('message of a subagent', child.count);
    }
    const said = activeOf(main);
    const messages = orderSubagents(said, withoutCopies(said, lanes, tally));
    messages.push(...undoneOf(main));
    for (const other of others) if (!children.has(other)) messages.push(...this.#unrelated(other));
    return defined<Imported>({
      history: { messages },
      sessionId: main.id.startsWith('line:') ? undefined : textOf(main.id),
      title: textOf(main.info['title']),
      cwd: textOf(main.info['directory']) ?? this.#cwd,
      model: this.#model,
    });
  }

  #session(id: string): Session {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const session: Session = { id, info: {}, active: [], undone: [], drafts: new Map(), count: 0 };
    this.#sessions.set(id, session);
    return session;
  }

  /** Messages are mostly metadata, which is let go at once. */
  #add(session: Session, message: OpenCodeMessage): void {
    const revert = fieldsOf(session.info['revert']);
    const id = textOf(message.info['id']);
    if (session.undoneTo !== undefined || id === undefined || id !== textOf(revert?.['messageID'])) {
      this.#addPart(session, message);
      return;
    }
    const from = textOf(revert?.['partID']);
    const cut = message.parts.findIndex((part) => from !== undefined && fieldsOf(part)?.['id'] === from);
    if (cut > 0) this.#addPart(session, { ...message, parts: message.parts.slice(0, cut) });
    session.undoneTo = id;
    this.#addPart(session, { ...message, parts: message.parts.slice(Math.max(0, cut)) });
  }

  #addPart(session: Session, message: OpenCodeMessage): void {
    const { tally, options } = this.#context;
    const { info } = message;
    session.count += 1;
    const id = textOf(info['id']) ?? `${session.id === '' ? '' : `${session.id}:`}message:${session.count}`;
    if (session.undoneTo !== undefined) {
      session.undoneTo = id;
      if (!options.branches) {
        tally.skip('reverted message');
        return;
      }
    }
    this.#noteSession(session, info);
    this.#notePrompt(session, info, id);
    for (const [child, call] of childSessions(message)) {
      if (!this.#callOfChild.has(child)) this.#callOfChild.set(child, call);
    }
    const drafts = openCodeDrafts(message, id, tally);
    if (this.#isRepeat(session, id, drafts)) return;
    const out = session.undoneTo === undefined ? session.active : session.undone;
    for (const draft of drafts) {
      if (hasContent(draft, tally)) out.push({ ...draft, id: this.#nextId(draft.id) });
    }
  }

  /** Only an exact copy is left out; an id that comes back with other content is kept. */
  #isRepeat({ drafts: known }: Session, id: string, drafts: readonly Draft[]): boolean {
    const before = known.get(id);
    known.set(id, drafts);
    if (before === undefined || wholeJsonText(before) !== wholeJsonText(drafts)) return false;
    this.#context.tally.skip('repeated message');
    return true;
  }

  /** It set the agent up, so it will stand first, whichever answer states it. */
  #notePrompt(session: Session, info: Fields, id: string): void {
    const blocks = systemPromptOf(info);
    if (blocks.length === 0) return;
    if (session.prompt === undefined) {
      session.prompt = { id: this.#nextId(`${id}:system`), role: 'system', blocks };
      return;
    }
    const isSame = wholeJsonText(session.prompt.blocks) === wholeJsonText(blocks);
    this.#context.tally.skip(isSame ? 'repeated system prompt' : 'changed system prompt');
  }

  #noteSession(session: Session, info: Fields): void {
    if (session !== this.#sessions.values().next().value) return;
    this.#cwd ??= textOf(fieldsOf(info['path'])?.['cwd']);
    if (info['role'] === 'assistant') this.#model = textOf(info['modelID']) ?? this.#model;
  }

  #warnOfLostRevert({ info, undoneTo }: Session): void {
    const target = textOf(fieldsOf(info['revert'])?.['messageID']);
    if (target === undefined || undoneTo !== undefined) return;
    this.#context.tally.warn(`the session was taken back to ${target}, which is not in it`);
  }

  /** The sessions that `main` started, and those that they started. */
  #descendants(main: Session): Set<Session> {
    const found = new Set<Session>([main]);
    const byParent = new Map<string, Session[]>();
    for (const session of this.#sessions.values()) {
      const parent = textOf(session.info['parentID']);
      if (parent === undefined) continue;
      const children = byParent.get(parent);
      if (children === undefined) byParent.set(parent, [session]);
      else children.push(session);
    }
    // A set gives what is added while it is walked.
    for (const session of found) for (const child of byParent.get(session.id) ?? []) found.add(child);
    found.delete(main);
    return found;
  }

  #lanes(children: ReadonlySet<Session>) {
    return [...children].map((child) => ({
      agent: child.id,
      messages: [...activeOf(child), ...undoneOf(child)].map(
        (message): Message => ({ ...message, agent: child.id }),
      ),
      callId: this.#callOfChild.get(child.id),
    }));
  }

  /** Files may be joined end to end. */
  #unrelated(session: Session): Message[] {
    const note = noteDraft(this.#nextId(`session:${session.id}`), `Session ${session.id} begins`);
    return [note, ...activeOf(session), ...undoneOf(session)];
  }
}

function activeOf({ prompt, active }: Session): Message[] {
  return prompt === undefined ? active : [prompt, ...active];
}

function undoneOf({ undone, undoneTo = '' }: Session): Message[] {
  return undone.map((message) => ({ ...message, branch: undoneTo }));
}
