/**
 * Sessions of pi and Oh-My-Pi, versions 1 to 3. Version 1 is a list; later ones are a tree, of which the path to
 * the last entry is the session. Other branches are an appendix that has to be asked for.
 */
import type { Block, Message } from '../history/history.js';
import { wholeJsonText } from '../history/json-text.js';
import { type Draft, firstLine, hasContent, noteDraft, uniqueIds } from './draft.js';
import { EntryTree } from './entry-tree.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf } from './fields.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink } from './importer.js';
import { customLabel, piBlocks, piMessage, textBlocks } from './pi-messages.js';
import { PiTitle } from './pi-title.js';

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
  /** One per session: files are joined end to end, too. */
  readonly #sessions: PiSession[] = [{ tree: new EntryTree() }];
  readonly #known = new Map<string, KnownEntry>();
  readonly #hidden = new Set<string>();
  readonly #title = new PiTitle();
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
    else if (type === 'title') this.#title.slot(entry);
    else this.#readEntry(entry, type, line);
  }

  finish(): Imported {
    const nextId = uniqueIds();
    const messages: Message[] = [];
    const [{ header }] = this.#sessions as [PiSession];
    for (const session of this.#sessions) {
      const id = textOf(session.header?.['id']) ?? 'without an id';
      if (session.header !== header)
        messages.push(noteDraft(nextId(`session:${id}`), `Session ${id} begins`));
      this.#emitSession(session, nextId, messages);
    }
    return defined<Imported>({
      history: { messages },
      sessionId: textOf(header?.['id']),
      title: this.#title.best,
      cwd: textOf(header?.['cwd']),
      model: this.#model ?? textOf(header?.['modelId']),
    });
  }

  #emitSession({ tree }: PiSession, nextId: (id: string) => string, out: Message[]): void {
    const { tally, options } = this.#context;
    const { active, abandoned } = tree.split(this.#hidden, (entry) => entry.draft !== undefined);
    if (tree.lostParents > 0) {
      tally.warn(`${tree.lostParents} entries name a parent that is not before them; file order was used`);
    }
    this.#emitBranch(active, nextId, out);
    for (const branch of abandoned) {
      const entries = branch.entries.filter((entry) => entry.draft !== undefined);
      if (options.branches) this.#emitBranch(entries, nextId, out, branch.id);
      else tally.skip('entry of an abandoned branch', entries.length);
    }
  }

  /** Every archive contains the ones before it on its branch. */
  #emitBranch(
    entries: readonly Entry[],
    nextId: (id: string) => string,
    out: Message[],
    branch?: string,
  ): void {
    const { tally } = this.#context;
    const lastArchive = entries.findLast((entry) => entry.archive !== undefined);
    for (const entry of entries) {
      const { draft, archive } = entry;
      if (draft === undefined) continue;
      if (entry === lastArchive) draft.blocks.push(...(archive ?? []));
      else if (archive !== undefined) tally.skip('archive that a later one contains');
      if (!hasContent(draft, tally)) continue;
      out.push({ ...draft, id: nextId(draft.id), ...(branch !== undefined && { branch }) });
    }
  }

  #readHeader(header: Fields): void {
    const { tally } = this.#context;
    const current = this.#sessions.at(-1) as PiSession;
    if (current.header === undefined) current.header = header;
    else if (current.header['id'] === header['id']) {
      tally.skip('repeated session header');
      return;
    } else this.#sessions.push({ tree: new EntryTree(), header });
    this.#title.header(header);
    const version = header['version'];
    if (typeof version === 'number' && version > newestVersion) {
      tally.warn(`session version ${version} is newer than ${newestVersion}; read as ${newestVersion}`);
    }
  }

  #readEntry(entry: Fields, type: string, line: number): void {
    const { tally } = this.#context;
    const id = textOf(entry['id']) ?? `line:${line}`;
    if (type === 'archive') {
      const target = textOf(entry['targetId']);
      if (target !== undefined && entry['archived'] === false) this.#hidden.delete(target);
      else if (target !== undefined) this.#hidden.add(target);
    }
    if (type === 'session_info' || type === 'title_change') this.#title.change(entry);
    const tree = (this.#sessions.at(-1) as PiSession).tree;
    const content = this.#contentOf(entry, type, id);
    if (this.#isRepeat(entry['id'], content)) {
      tally.skip('repeated record');
      // A session that was forked off repeats the path to the fork.
      if (!tree.has(id)) tree.add(id, parentOf(entry), {});
      return;
    }
    // Version 1 has no ids and is a list; in later versions only state that is not part of the tree has none.
    const isInTree = entry['id'] !== undefined || content !== undefined;
    if (isInTree) tree.add(id, parentOf(entry), content ?? {});
  }

  /** Only an exact copy is left out; an id that comes back with other content is kept. */
  #isRepeat(id: unknown, content: Entry | undefined): boolean {
    if (typeof id !== 'string' || content === undefined) return false;
    const known = this.#known.get(id);
    if (known === undefined) {
      this.#known.set(id, { content });
      return false;
    }
    known.text ??= wholeJsonText(known.content);
    return known.text === wholeJsonText(content);
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

interface PiSession {
  readonly tree: EntryTree<Entry>;
  header?: Fields;
}

interface KnownEntry {
  readonly content: Entry;
  /** Its text, made when the id comes again. */
  text?: string;
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
