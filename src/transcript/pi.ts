/**
 * Sessions of pi and Oh-My-Pi, versions 1 to 3. Version 1 is a list; later ones are a tree, of which the path to
 * the last entry is the session. Other branches are an appendix that has to be asked for.
 */
import type { Block, Message } from '../history/history.js';
import { type Draft, firstLine, hasContent, uniqueIds } from './draft.js';
import { EntryTree } from './entry-tree.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink } from './importer.js';
import { customLabel, piBlocks, piMessage, textBlocks } from './pi-messages.js';

export const pi: Importer = {
  name: 'pi',
  title: 'a pi or Oh-My-Pi session',
  reads: 'records',
  detect,
  open: (context) => new PiSink(context),
};

const newestVersion = 3;

/** Entries that change settings or keep state. */
const silentTypes: ReadonlySet<string> = new Set([
  'thinking_level_change',
  'service_tier_change',
  'mode_change',
  'label',
  'custom',
  'ttsr_injection',
  'credential_pin',
  'model_usage',
]);

function detect(probe: Probe): Confidence {
  let messages = 0;
  for (const value of probe.records) {
    const record = fieldsOf(value);
    if (record?.['type'] === 'session' && typeof record['cwd'] === 'string' && 'id' in record)
      return 'certain';
    if (record?.['type'] === 'message' && typeof fieldsOf(record['message'])?.['role'] === 'string')
      messages += 1;
  }
  return messages > 0 && messages * 2 >= probe.records.length ? 'probable' : 'no';
}

class PiSink implements RecordSink {
  readonly #context: ImportContext;
  /** One entry per record that is part of the tree, whether or not it says something. */
  readonly #tree = new EntryTree<Entry>();
  readonly #contentOfId = new Map<string, Entry>();
  readonly #hidden = new Set<string>();
  #header: Fields | undefined;
  #title: string | undefined;
  #model: string | undefined;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  record(value: unknown, line: number): void {
    const { tally } = this.#context;
    const entry = fieldsOf(value);
    const type = textOf(entry?.['type']);
    if (entry === undefined || type === undefined) {
      tally.unknown('record without a type');
      return;
    }
    if (type === 'session') this.#readHeader(entry);
    else if (type === 'title') this.#readTitle(entry['title']);
    else this.#readEntry(entry, type, line);
  }

  finish(): Imported {
    const { tally, options } = this.#context;
    const { active, abandoned } = this.#tree.split(this.#hidden);
    if (this.#tree.lostParents > 0) {
      tally.warn(
        `${this.#tree.lostParents} entries name a parent that is not before them; file order was used`,
      );
    }
    const nextId = uniqueIds();
    const messages: Message[] = [];
    const lastArchive = active.findLast((entry) => entry.archive !== undefined);
    for (const entry of active) this.#emit(entry, entry === lastArchive, nextId, messages);
    for (const branch of abandoned) {
      const entries = branch.entries.filter((entry) => entry.draft !== undefined);
      if (options.branches)
        for (const entry of entries) this.#emit(entry, false, nextId, messages, branch.id);
      else tally.skip('entry of an abandoned branch', entries.length);
    }
    return defined<Imported>({
      history: { messages },
      sessionId: textOf(this.#header?.['id']),
      title: this.#title,
      cwd: textOf(this.#header?.['cwd']),
      model: this.#model ?? textOf(this.#header?.['modelId']),
    });
  }

  #emit(
    entry: Entry,
    withArchive: boolean,
    nextId: (id: string) => string,
    out: Message[],
    branch?: string,
  ): void {
    const { tally } = this.#context;
    const { draft } = entry;
    if (draft === undefined) return;
    if (withArchive) draft.blocks.push(...(entry.archive ?? []));
    else if (entry.archive !== undefined) tally.skip('archive that a later one contains');
    if (!hasContent(draft, tally)) return;
    out.push({ ...draft, id: nextId(draft.id), ...(branch !== undefined && { branch }) });
  }

  #readHeader(header: Fields): void {
    const { tally } = this.#context;
    if (this.#header !== undefined) {
      tally.skip('repeated session header');
      return;
    }
    this.#header = header;
    this.#readTitle(header['title']);
    const version = header['version'];
    if (typeof version === 'number' && version > newestVersion) {
      tally.warn(`session version ${version} is newer than ${newestVersion}; read as ${newestVersion}`);
    }
  }

  #readTitle(title: unknown): void {
    const text = textOf(title);
    if (text !== undefined) this.#title = firstLine(text, 200);
  }

  #readEntry(entry: Fields, type: string, line: number): void {
    const { tally } = this.#context;
    const id = textOf(entry['id']) ?? `line:${line}`;
    if (type === 'archive') {
      const target = textOf(entry['targetId']);
      if (target !== undefined && entry['archived'] === false) this.#hidden.delete(target);
      else if (target !== undefined) this.#hidden.add(target);
    }
    if (type === 'session_info') this.#readTitle(entry['name']);
    if (type === 'title_change') this.#readTitle(entry['title']);
    const content = this.#contentOf(entry, type, id);
    if (this.#isRepeat(entry['id'], content)) {
      tally.skip('repeated record');
      return;
    }
    // Version 1 has no ids and is a list; in later versions only state that is not part of the tree has none.
    const isInTree = entry['id'] !== undefined || content !== undefined;
    if (isInTree) this.#tree.add(id, parentOf(entry), content ?? {});
  }

  /** Only an exact copy is left out; an id that comes back with other content is kept. */
  #isRepeat(id: unknown, content: Entry | undefined): boolean {
    if (typeof id !== 'string' || content === undefined) return false;
    const known = this.#contentOfId.get(id);
    if (known === undefined) this.#contentOfId.set(id, content);
    return known !== undefined && JSON.stringify(known) === JSON.stringify(content);
  }

  #contentOf(entry: Fields, type: string, id: string): Entry | undefined {
    const { tally } = this.#context;
    const timeMs = timeMsOf(fieldsOf(entry['message'])?.['timestamp']) ?? timeMsOf(entry['timestamp']);
    const draftOf = (message: Omit<Draft, 'id'>): Entry => ({
      draft: defined<Draft>({ ...message, id, timeMs, injected: message.injected }),
    });
    const note = (text: string): Entry => draftOf({ role: 'system', blocks: [{ type: 'note', text }] });
    switch (type) {
      case 'message':
        return this.#messageOf(entry, draftOf);
      case 'compaction':
        return this.#compactionOf(entry, draftOf);
      case 'branch_summary':
        return draftOf({ role: 'user', blocks: textBlocks(entry['summary']), injected: 'branch-summary' });
      case 'custom_message':
        return draftOf({
          role: 'user',
          blocks: piBlocks(entry['content'], tally),
          injected: customLabel(entry),
        });
      case 'model_change':
        return note(`Model: ${modelName(entry)}`);
      case 'reset_boundary':
        return note('The conversation was cleared');
      case 'session_init':
        return draftOf({ role: 'user', blocks: textBlocks(entry['task']), injected: 'task' });
    }
    const isKnown =
      silentTypes.has(type) || type === 'archive' || type === 'session_info' || type === 'title_change';
    if (isKnown) tally.skip(type);
    else tally.unknown(type);
    return undefined;
  }

  #messageOf(entry: Fields, draftOf: (message: Omit<Draft, 'id'>) => Entry): Entry | undefined {
    const { tally } = this.#context;
    const message = fieldsOf(entry['message']);
    if (message === undefined) {
      tally.unknown('message without a message');
      return undefined;
    }
    if (message['role'] === 'assistant') this.#model = textOf(message['model']) ?? this.#model;
    const content = piMessage(message, tally);
    return content && draftOf(content);
  }

  #compactionOf(entry: Fields, draftOf: (message: Omit<Draft, 'id'>) => Entry): Entry {
    const before = entry['tokensBefore'];
    const text = typeof before === 'number' ? `Compaction (${before} tokens before)` : 'Compaction';
    const blocks: Block[] = [{ type: 'note', text }, ...textBlocks(entry['summary'])];
    const archive = this.#archiveOf(fieldsOf(entry['preserveData'])?.['snapcompact']);
    return {
      ...draftOf({ role: 'user', blocks, injected: 'compaction-summary' }),
      ...(archive && { archive }),
    };
  }

  /** An earlier archive of ours inside the session: its text is read, its pictures are not. */
  #archiveOf(value: unknown): readonly Block[] | undefined {
    const archive = fieldsOf(value);
    if (archive === undefined) return undefined;
    this.#context.tally.skip('frame of an earlier archive', listOf(archive['frames']).length);
    const whole = textBlocks(archive['text']);
    const edges = [...textBlocks(archive['textHead']), ...textBlocks(archive['textTail'])];
    const blocks = whole.length > 0 ? whole : edges;
    return blocks.length === 0 ? undefined : blocks.map((block) => ({ ...block, injected: 'archive' }));
  }
}

/** What one entry gives to the history. */
interface Entry {
  readonly draft?: Draft;
  /** Text of an earlier archive that this compaction carries on. */
  readonly archive?: readonly Block[];
}

function parentOf(entry: Fields): string | null | undefined {
  const parent = entry['parentId'];
  return parent === null ? null : textOf(parent);
}

function modelName(entry: Fields): string {
  const name = [textOf(entry['provider']), textOf(entry['modelId'])]
    .filter((part) => part !== undefined)
    .join('/');
  return firstLine(textOf(entry['model']) ?? (name === '' ? 'not recorded' : name), 200);
}
