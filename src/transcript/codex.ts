/**
 * Rollouts of Codex: the session files of its command line, its editors and its app, with and without an envelope
 * around each record. Items are what the model saw and said; events mirror them and are read for what is left.
 */
import {
  type CodexEntry,
  entryOf,
  keysOf,
  noteEntry,
  Sayings,
  searchKeyOf,
  textsOf,
} from './codex-entries.js';
import { codexEvent } from './codex-events.js';
import { agentMessage, codexItem, compactedEntries } from './codex-items.js';
import { codexText } from './codex-parts.js';
import {
  codexStateTypes,
  detectCodex,
  isBareHeader,
  isBareState,
  originNotes,
  passOverState,
} from './codex-records.js';
import { CodexThread } from './codex-thread.js';
import { type Draft, firstLine, hasContent, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, textOf, timeMsOf } from './fields.js';
import type { ImportContext, Imported, Importer, RecordSink } from './importer.js';

export const codex: Importer = {
  name: 'codex',
  title: 'a Codex rollout',
  reads: 'records',
  detect: detectCodex,
  open: (context) => new CodexSink(context),
  passOver: passOverState,
};

const maxTitleChars = 200;
/** Instructions come again with every turn; so many different ones are looked for in the turns. */
const maxInstructions = 100;

interface Kept {
  readonly id: string;
  readonly timeMs: number | undefined;
  entry: CodexEntry;
}

class CodexSink implements RecordSink {
  readonly #context: ImportContext;
  readonly #kept: Kept[] = [];
  readonly #sayings = new Sayings();
  readonly #instructions = new Set<string>();
  #header: Fields | undefined;
  #title: string | undefined;
  #cwd: string | undefined;
  #model: string | undefined;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  record(value: unknown, line: number): void {
    const { tally } = this.#context;
    const record = fieldsOf(value);
    if (record === undefined) tally.unknown('record without a type');
    else if (isBareHeader(record)) this.#readHeader(record, record, line);
    else if (isBareState(record)) tally.skip('state');
    else this.#readRecord(record, line);
  }

  finish(): Imported {
    const thread = new CodexThread();
    const nextId = uniqueIds();
    const { tally } = this.#context;
    const isHeld = this.#heldTexts();
    this.#nameSearches();
    for (const { id, timeMs, entry } of this.#kept) {
      if (entry.mirror !== undefined && this.#sayings.isMirror(entry.mirror, entry.keys)) {
        tally.skip(`${entry.mirror} that repeats another record`);
        continue;
      }
      if (entry.isSetting === true && textsOf(entry.said.blocks).every(isHeld)) {
        tally.skip('instructions that a turn holds');
        continue;
      }
      const draft = defined<Draft>({ ...entry.said, id, timeMs, injected: entry.said.injected });
      if (entry.undoes !== undefined) thread.undo(entry.undoes);
      if (hasContent(draft, tally)) thread.push({ ...draft, id: nextId(id) });
    }
    return defined<Imported>({
      history: { messages: thread.messages },
      sessionId: textOf(this.#header?.['id']) ?? textOf(this.#header?.['session_id']),
      title: this.#title,
      cwd: textOf(this.#header?.['cwd']) ?? this.#cwd,
      model: this.#model,
    });
  }

  /** The item of a web search has no id in some versions, and its results stand in the event alone. */
  #nameSearches(): void {
    const items = new Map<string, Kept[]>();
    for (const kept of this.#kept) {
      const key = searchKeyOf(kept.entry);
      if (key === undefined || kept.entry.mirror !== undefined) continue;
      const same = items.get(key);
      if (same === undefined) items.set(key, [kept]);
      else same.push(kept);
    }
    for (const { entry } of this.#kept) {
      const key = searchKeyOf(entry);
      const item = key === undefined || entry.mirror === undefined ? undefined : items.get(key)?.shift();
      if (item !== undefined) item.entry = { ...item.entry, said: entry.said };
    }
  }

  /** Whether a message that a program wrote holds a text. Users are not quoted by their settings. */
  #heldTexts(): (text: string) => boolean {
    if (this.#instructions.size === 0 || this.#instructions.size > maxInstructions) return () => false;
    const texts = this.#kept.flatMap(({ entry: { said, isSetting } }) =>
      said.role === 'assistant' || isSetting === true
        ? []
        : said.blocks.flatMap((block) =>
            block.type === 'text' && (said.injected ?? block.injected) !== undefined ? [block.text] : [],
          ),
    );
    return (text) => texts.some((held) => held.includes(text.trim()));
  }

  #readRecord(record: Fields, line: number): void {
    const { tally } = this.#context;
    const type = textOf(record['type']);
    const payload = fieldsOf(record['payload']);
    if (type === undefined) tally.unknown('record without a type');
    else if (codexStateTypes.has(type)) tally.skip(type);
    // Without an envelope the record is the item.
    else if (payload === undefined) this.#add(codexItem(record, tally), record, record, line);
    else if (type === 'session_meta') this.#readHeader(payload, record, line);
    else if (type === 'turn_context') this.#readContext(payload, record, line);
    else if (type === 'response_item') this.#add(codexItem(payload, tally), payload, record, line);
    else if (type === 'compacted') this.#add(compactedEntries(payload), payload, record, line);
    else if (type === 'event_msg') this.#readEvent(payload, record, line);
    else if (type === 'inter_agent_communication') {
      this.#add([{ ...agentMessage(payload, tally), mirror: type }], payload, record, line);
    } else tally.unknown(type);
  }

  #readEvent(event: Fields, record: Fields, line: number): void {
    const title = textOf(event['thread_name']);
    if (event['type'] !== 'thread_name_updated') {
      this.#add(codexEvent(event, this.#context.tally), event, record, line);
      return;
    }
    if (title !== undefined) this.#title = firstLine(title, maxTitleChars);
    this.#context.tally.skip('event_msg/thread_name_updated');
  }

  /** A fork, or the session of a subagent, begins with the headers it inherited behind its own. */
  #readHeader(meta: Fields, record: Fields, line: number): void {
    this.#context.tally.skip(this.#header === undefined ? 'session_meta' : 'further session_meta');
    if (this.#header !== undefined) return;
    this.#header = meta;
    this.#add(
      originNotes(meta).map((note) => noteEntry(firstLine(note, maxTitleChars))),
      {},
      record,
      line,
    );
    // What newer versions call base instructions is the program's own prompt, the same in every session.
    this.#addInstructions(meta['instructions'], 'user-instructions', record, line);
  }

  #readContext(context: Fields, record: Fields, line: number): void {
    const model = textOf(context['model']);
    this.#context.tally.skip('turn_context');
    if (model !== undefined && this.#model !== undefined && model !== this.#model) {
      this.#add([noteEntry(`Model: ${firstLine(model, maxTitleChars)}`)], {}, record, line);
    }
    this.#model = model ?? this.#model;
    this.#cwd ??= textOf(context['cwd']);
    this.#addInstructions(context['user_instructions'], 'user-instructions', record, line);
    this.#addInstructions(context['developer_instructions'], 'developer', record, line);
  }

  #addInstructions(text: unknown, injected: string, record: Fields, line: number): void {
    const blocks = codexText(text);
    const [key] = keysOf(injected, textsOf(blocks));
    if (key === undefined || this.#instructions.has(key)) return;
    this.#instructions.add(key);
    this.#add([{ ...entryOf({ role: 'system', blocks, injected }), isSetting: true }], {}, record, line);
  }

  #add(entries: readonly CodexEntry[], item: Fields, record: Fields, line: number): void {
    const id = textOf(item['id']) ?? `line:${line}`;
    const timeMs = timeMsOf(record['timestamp']);
    for (const entry of entries) {
      if (entry.mirror === undefined) this.#sayings.add(entry.keys);
      this.#kept.push({ id, timeMs, entry });
    }
  }
}
