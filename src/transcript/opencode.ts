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
  readonly messages: OpenCodeMessage[];
  readonly byId: Map<string, OpenCodeMessage>;
  /** The first system prompt that was stated. */
  prompt?: string;
}

/** Messages that were taken back are still stored, until the session goes on. */
interface Said {
  readonly active: Message[];
  readonly reverted: Message[];
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
    const children = this.#descendants(main);
    const said = this.#said(main);
    const { info } = main;
    const described = {
      sessionId: main.id.startsWith('line:') ? undefined : textOf(main.id),
      title: textOf(info['title']),
      cwd: textOf(info['directory']) ?? this.#cwd,
      model: this.#model,
    };
    const lanes = options.subagents ? this.#lanes(children) : [];
    if (!options.subagents) {
      for (const child of children) tally.skip('message of a subagent', child.messages.length);
    }
    const messages = orderSubagents(said.active, withoutCopies(said.active, lanes, tally));
    messages.push(...said.reverted);
    for (const other of others) if (!children.has(other)) messages.push(...this.#unrelated(other));
    return defined<Imported>({ history: { messages }, ...described });
  }

  /** Only an exact copy is left out; an id that comes back with other content is kept. */
  #add(session: Session, message: OpenCodeMessage): void {
    const id = textOf(message.info['id']);
    const known = id === undefined ? undefined : session.byId.get(id);
    if (known !== undefined && wholeJsonText(known) === wholeJsonText(message)) {
      this.#context.tally.skip('repeated message');
      return;
    }
    if (id !== undefined) session.byId.set(id, message);
    session.messages.push(message);
  }

  #session(id: string): Session {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const session: Session = { id, info: {}, messages: [], byId: new Map() };
    this.#sessions.set(id, session);
    return session;
  }

  /** The sessions that `main` started, and those that they started. */
  #descendants(main: Session): Set<Session> {
    const found = new Set<Session>([main]);
    const byParent = new Map<string, Session[]>();
    for (const session of this.#sessions.values()) {
      const parent = textOf(session.info['parentID']);
      if (parent !== undefined) byParent.set(parent, [...(byParent.get(parent) ?? []), session]);
    }
    // A set gives what is added while it is walked.
    for (const session of found) for (const child of byParent.get(session.id) ?? []) found.add(child);
    found.delete(main);
    return found;
  }

  #lanes(children: ReadonlySet<Session>) {
    const spoken = [...children].map((child) => ({ agent: child.id, said: this.#said(child) }));
    return spoken.map(({ agent, said }) => ({
      agent,
      messages: [...said.active, ...said.reverted].map((message): Message => ({ ...message, agent })),
      callId: this.#callOfChild.get(agent),
    }));
  }

  /** Files may be joined end to end. */
  #unrelated(session: Session): Message[] {
    const note = noteDraft(this.#nextId(`session:${session.id}`), `Session ${session.id} begins`);
    const { active, reverted } = this.#said(session);
    return [note, ...active, ...reverted];
  }

  #said(session: Session): Said {
    const { tally, options } = this.#context;
    const { kept, undone } = splitReverted(session, (text) => tally.warn(text));
    const active = this.#drafts(session, kept);
    if (!options.branches) {
      tally.skip('reverted message', undone.length);
      return { active, reverted: [] };
    }
    const branch = textOf(undone.at(-1)?.info['id']) ?? 'reverted';
    return { active, reverted: this.#drafts(session, undone).map((message) => ({ ...message, branch })) };
  }

  #drafts(session: Session, messages: readonly OpenCodeMessage[]): Message[] {
    const { tally } = this.#context;
    const out: Message[] = [];
    messages.forEach((message, i) => {
      const { info } = message;
      const id = textOf(info['id']) ?? `${session.id === '' ? '' : `${session.id}:`}message:${i + 1}`;
      const prompt = this.#promptOf(session, info, id);
      if (prompt !== undefined) out.unshift(prompt);
      for (const [child, call] of childSessions(message)) {
        if (!this.#callOfChild.has(child)) this.#callOfChild.set(child, call);
      }
      this.#noteSession(session, info);
      for (const draft of openCodeDrafts(message, id, tally)) this.#push(draft, out);
    });
    return out;
  }

  /** It set the agent up, so it stands first, whichever answer states it. */
  #promptOf(session: Session, info: Fields, id: string): Message | undefined {
    const blocks = systemPromptOf(info);
    if (blocks.length === 0) return undefined;
    const text = wholeJsonText(blocks);
    if (session.prompt !== undefined) {
      this.#context.tally.skip(session.prompt === text ? 'repeated system prompt' : 'changed system prompt');
      return undefined;
    }
    session.prompt = text;
    return { id: this.#nextId(`${id}:system`), role: 'system', blocks };
  }

  #push(draft: Draft, out: Message[]): void {
    if (hasContent(draft, this.#context.tally)) out.push({ ...draft, id: this.#nextId(draft.id) });
  }

  #noteSession(session: Session, info: Fields): void {
    if (session !== this.#sessions.values().next().value) return;
    this.#cwd ??= textOf(fieldsOf(info['path'])?.['cwd']);
    if (info['role'] === 'assistant') this.#model = textOf(info['modelID']) ?? this.#model;
  }
}

/** From the message or part on that the session was taken back to. */
function splitReverted(
  { info, messages }: Session,
  warn: (text: string) => void,
): { kept: readonly OpenCodeMessage[]; undone: readonly OpenCodeMessage[] } {
  const revert = fieldsOf(info['revert']);
  const target = textOf(revert?.['messageID']);
  if (target === undefined) return { kept: messages, undone: [] };
  const at = messages.findIndex((message) => message.info['id'] === target);
  const message = messages[at];
  if (message === undefined) {
    warn(`the session was taken back to ${target}, which is not in it`);
    return { kept: messages, undone: [] };
  }
  const part = textOf(revert?.['partID']);
  const cut = part === undefined ? 0 : message.parts.findIndex((each) => fieldsOf(each)?.['id'] === part);
  const before = cut > 0 ? [{ info: message.info, parts: message.parts.slice(0, cut) }] : [];
  const rest = { info: message.info, parts: message.parts.slice(Math.max(0, cut)) };
  return { kept: [...messages.slice(0, at), ...before], undone: [rest, ...messages.slice(at + 1)] };
}
