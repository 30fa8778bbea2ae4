/** What the records of a Gemini CLI session leave standing: messages change, are dropped and come back. */
import type { Message } from '../history/history.js';
import { type Draft, firstLine, hasContent, noteDraft, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import { contentDrafts, geminiDrafts } from './gemini-messages.js';
import { answeredCalls } from './gemini-parts.js';
import type { ImportContext, Imported, RecordSink } from './importer.js';

const maxTitleChars = 200;

/** A message as it was recorded last, the content of a checkpoint, or a fact about the session. */
type Entry =
  | { readonly kind: 'message' | 'content'; readonly fields: Fields }
  | { readonly kind: 'note'; readonly text: string };

interface Dropped {
  /** Id of its last entry. */
  readonly id: string;
  readonly entries: ReadonlyMap<string, Entry>;
}

export class GeminiSink implements RecordSink {
  readonly #context: ImportContext;
  /** By id. A message that is recorded again keeps its place. */
  #entries = new Map<string, Entry>();
  readonly #dropped: Dropped[] = [];
  #contents = 0;
  #sessionId: string | undefined;
  #title: string | undefined;
  #cwd: string | undefined;
  #model: string | undefined;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  record(value: unknown, line: number): void {
    const { tally } = this.#context;
    const record = fieldsOf(value);
    if (Array.isArray(value)) this.#addContents(value);
    else if (record === undefined) tally.unknown('record that is no object');
    else if ('$set' in record) this.#change(record['$set'], line);
    else if ('$rewindTo' in record) this.#rewind(record['$rewindTo'], line);
    else if (Array.isArray(record['history'] ?? record['contents']))
      this.#addContents(listOf(record['history'] ?? record['contents']));
    else if ('sessionId' in record && !('type' in record)) this.#readHeader(record, line);
    else if (Array.isArray(record['parts']) && 'role' in record) this.#addContents([record]);
    else this.#addMessage(record, `line:${line}`);
  }

  finish(): Imported {
    const { options, tally } = this.#context;
    const everything = [this.#entries, ...this.#dropped.map(({ entries }) => entries)];
    const answered = answeredCalls(
      everything
        .flatMap((entries) => [...entries.values()])
        .flatMap((e) => (e.kind === 'note' ? [] : [e.fields])),
    );
    const nextId = uniqueIds();
    const messages: Message[] = [];
    const emit = (entries: ReadonlyMap<string, Entry>, branch?: string): void => {
      for (const [id, entry] of entries) {
        for (const draft of this.#drafts(id, entry, answered)) {
          if (!hasContent(draft, tally)) continue;
          messages.push({ ...draft, id: nextId(draft.id), ...(branch !== undefined && { branch }) });
        }
      }
    };
    emit(this.#entries);
    for (const { id, entries } of this.#dropped) {
      if (options.branches) emit(entries, id);
      else tally.skip('message that was rewound', entries.size);
    }
    return defined<Imported>({
      history: { messages },
      sessionId: this.#sessionId,
      title: this.#title,
      cwd: this.#cwd,
      model: this.#model,
    });
  }

  #drafts(id: string, entry: Entry, answered: ReadonlySet<string>): Draft[] {
    const { tally } = this.#context;
    if (entry.kind === 'note') return [noteDraft(id, entry.text)];
    const { fields } = entry;
    return entry.kind === 'content'
      ? contentDrafts(fields, id, tally)
      : geminiDrafts(fields, id, answered, tally);
  }

  /** A session that is resumed may state its header again. */
  #readHeader(header: Fields, line: number): void {
    const id = textOf(header['sessionId']);
    this.#context.tally.skip('session header');
    if (this.#sessionId !== undefined && id !== undefined && id !== this.#sessionId)
      this.#entries.set(`session:${line}`, { kind: 'note', text: `Session ${id} begins` });
    this.#sessionId ??= id;
    this.#readSettings(header);
    if (Array.isArray(header['messages'])) this.#addMessages(header['messages'], line);
  }

  #readSettings(fields: Fields): void {
    const title = textOf(fields['summary']);
    if (title !== undefined) this.#title = firstLine(title, maxTitleChars);
    this.#cwd ??= textOf(listOf(fields['directories'])[0]);
    this.#model ??= textOf(fieldsOf(fields['meta'])?.['model']);
  }

  /** A change of the header; one that holds messages replaces all that came before. */
  #change(value: unknown, line: number): void {
    const change = fieldsOf(value);
    if (change === undefined) {
      this.#context.tally.unknown('$set without an object');
      return;
    }
    this.#context.tally.skip('$set');
    this.#readSettings(change);
    if (!Array.isArray(change['messages'])) return;
    const before = this.#entries;
    this.#entries = new Map();
    this.#addMessages(change['messages'], line);
    const lost = [...before].filter(([id, entry]) => entry.kind !== 'note' && !this.#entries.has(id));
    this.#drop(new Map(lost));
  }

  #rewind(value: unknown, line: number): void {
    const ids = [...this.#entries.keys()];
    const at = ids.indexOf(textOf(value) ?? '');
    // Gemini CLI empties the session if it does not know the message.
    const from = Math.max(at, 0);
    const dropped = [...this.#entries].slice(from);
    if (dropped.length === 0) {
      this.#context.tally.skip('rewind of nothing');
      return;
    }
    for (const [id] of dropped) this.#entries.delete(id);
    this.#drop(new Map(dropped));
    const count = dropped.length === 1 ? '1 message was' : `${dropped.length} messages were`;
    this.#entries.set(`rewind:${line}`, { kind: 'note', text: `Rewind: ${count} dropped` });
  }

  #drop(entries: ReadonlyMap<string, Entry>): void {
    const last = [...entries.keys()].at(-1);
    if (last !== undefined) this.#dropped.push({ id: last, entries });
  }

  #addMessages(list: readonly unknown[], line: number): void {
    list.forEach((value, i) => {
      const message = fieldsOf(value);
      if (message === undefined) this.#context.tally.unknown('message that is no object');
      else this.#addMessage(message, `line:${line}.${i + 1}`);
    });
  }

  #addMessage(message: Fields, fallback: string): void {
    const { tally } = this.#context;
    if (textOf(message['type']) === undefined) {
      tally.unknown('record without a type');
      return;
    }
    const id = textOf(message['id']) ?? fallback;
    if (this.#entries.has(id)) tally.skip('earlier version of a message');
    this.#entries.set(id, { kind: 'message', fields: message });
    if (message['type'] !== 'user') this.#model = textOf(message['model']) ?? this.#model;
  }

  #addContents(list: readonly unknown[]): void {
    for (const value of list) {
      const fields = fieldsOf(value);
      this.#contents += 1;
      if (fields === undefined) this.#context.tally.unknown('content that is no object');
      else this.#entries.set(`message:${this.#contents}`, { kind: 'content', fields });
    }
  }
}
