/** ShareGPT conversations, and the trajectories that Hermes writes in this form. */
import { type Draft, hasContent, noteDraft, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf } from './fields.js';
import { severalSessions } from './hermes-sessions.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink } from './importer.js';
import { pairable, turnDrafts } from './sharegpt-turns.js';

export const sharegpt: Importer = {
  name: 'sharegpt',
  title: 'a ShareGPT trajectory',
  reads: 'records',
  detect,
  open: (context) => new ShareGptSink(context),
};

function detect(probe: Probe): Confidence {
  const turns = probe.records
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .map((value) => fieldsOf(value))
    .map((record) => (record === undefined ? undefined : turnsOf(record)))
    .flatMap(listOf)
    .map(fieldsOf);
  return turns.some((turn) => typeof turn?.['from'] === 'string') ? 'certain' : 'no';
}

function turnsOf(record: Fields): readonly unknown[] | undefined {
  return ['conversations', 'conversation', 'items'].map((key) => record[key]).find(Array.isArray);
}

interface Conversation {
  readonly name: string;
  readonly record: Fields;
  readonly turns: readonly unknown[];
}

class ShareGptSink implements RecordSink {
  readonly #context: ImportContext;
  readonly #conversations: Conversation[] = [];

  constructor(context: ImportContext) {
    this.#context = context;
  }

  record(value: unknown, line: number): void {
    const list = Array.isArray(value) ? value : [value];
    list.forEach((item, i) => {
      const record = fieldsOf(item);
      const turns = record === undefined ? undefined : turnsOf(record);
      if (record === undefined || turns === undefined) {
        this.#context.tally.unknown('record without a conversation');
        return;
      }
      const place = list.length > 1 ? `item ${i + 1}` : `line ${line}`;
      // Of those that are refused, only the names are needed.
      const kept = this.#conversations.length === 0 ? turns : [];
      this.#conversations.push({ name: textOf(record['id']) ?? place, record, turns: kept });
    });
  }

  /** Throws `broken-input` for a collection of conversations. */
  finish(): Imported {
    if (this.#conversations.length > 1) throw severalSessions(this.#conversations.map(({ name }) => name));
    const [conversation] = this.#conversations;
    const { tally } = this.#context;
    const nextId = uniqueIds();
    const messages = this.#drafts(conversation)
      .filter((draft) => hasContent(draft, tally))
      .map((draft) => ({ ...draft, id: nextId(draft.id) }));
    return defined<Imported>({
      history: { messages },
      sessionId: textOf(conversation?.record['id']),
      model: textOf(conversation?.record['model']),
      title: undefined,
      cwd: undefined,
    });
  }

  #drafts(conversation: Conversation | undefined): Draft[] {
    const { tally } = this.#context;
    const drafts = (conversation?.turns ?? []).flatMap((value, i) => {
      const turn = fieldsOf(value);
      if (turn === undefined) tally.unknown('turn that is no object');
      return turn === undefined ? [] : turnDrafts(turn, `message:${i + 1}`, tally);
    });
    const record = conversation?.record;
    if (record?.['completed'] === false || record?.['partial'] === true)
      drafts.push(noteDraft('end', 'The trajectory was not completed'));
    return pairable(drafts);
  }
}
