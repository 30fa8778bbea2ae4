/** The sessions of a Hermes export, and the one history they make if they follow each other. */
import { SnapcompactError } from '../errors.js';
import type { Message } from '../history/history.js';
import { type Draft, firstLine, hasContent, noteDraft, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, textOf } from './fields.js';
import { decoded, rowDrafts, withoutTwins } from './hermes-rows.js';
import type { ImportContext, Imported, RecordSink } from './importer.js';

const maxTitleChars = 200;
const maxNamed = 5;

interface Session {
  readonly id: string | undefined;
  readonly row: Fields;
  readonly messages: Fields[];
}

export class HermesSink implements RecordSink {
  readonly #context: ImportContext;
  readonly #sessions: Session[] = [];

  constructor(context: ImportContext) {
    this.#context = context;
  }

  record(value: unknown): void {
    const { tally } = this.#context;
    const record = fieldsOf(value);
    if (Array.isArray(value) && value.length > 0) for (const item of value) this.#readRecord(fieldsOf(item));
    else if (record !== undefined) this.#readRecord(record);
    else tally.unknown('record that is no object');
  }

  /** Throws `broken-input` for sessions that do not follow each other: they are several histories. */
  finish(): Imported {
    const chain = chained(this.#sessions);
    if (chain === undefined) throw severalSessions(this.#sessions.map(({ id }) => id ?? 'one without an id'));
    const [first] = chain;
    const last = chain.at(-1);
    return defined<Imported>({
      history: { messages: this.#messages(chain) },
      sessionId: first?.id,
      title: titleOf(chain),
      cwd: cwdOf(first),
      model: textOf(last?.row['model']),
    });
  }

  #readRecord(record: Fields | undefined): void {
    const { tally } = this.#context;
    if (record === undefined) tally.unknown('record that is no object');
    else if (Array.isArray(record['messages'])) {
      const session = this.#session(textOf(record['id']) ?? textOf(record['session_id']), record);
      for (const value of record['messages']) {
        const row = fieldsOf(value);
        if (row === undefined) tally.unknown('message that is no object');
        else session.messages.push(row);
      }
    } else if ('role' in record) this.#session(textOf(record['session_id']), {}).messages.push(record);
    else tally.unknown('record without messages');
  }

  /** Rows of a gateway log come one by one; those without a session belong to the one before. */
  #session(id: string | undefined, row: Fields): Session {
    const isRow = !('messages' in row);
    const known = isRow
      ? this.#sessions.find((each) => id === undefined || each.id === undefined || each.id === id)
      : undefined;
    if (known !== undefined) return known;
    const session: Session = { id, row, messages: [] };
    this.#sessions.push(session);
    return session;
  }

  #messages(chain: readonly Session[]): Message[] {
    const { tally } = this.#context;
    const nextId = uniqueIds();
    const messages: Message[] = [];
    let prompt: string | undefined;
    const add = (draft: Draft): void => {
      if (hasContent(draft, tally)) messages.push({ ...draft, id: nextId(draft.id) });
    };
    chain.forEach(({ id = 'without an id', row, messages: rows }, i) => {
      if (i > 0)
        add(
          noteDraft(`session:${id}`, `Session ${firstLine(id, maxTitleChars)} goes on from the one before`),
        );
      const stated = textOf(row['system_prompt']);
      if (stated !== undefined && stated !== prompt)
        add({ id: 'system', role: 'system', blocks: [{ type: 'text', text: stated }] });
      prompt = stated ?? prompt;
      for (const [place, message] of withoutTwins(rows, tally).entries())
        for (const draft of rowDrafts(message, `message:${place + 1}`, tally)) add(draft);
    });
    return messages;
  }
}

/** A session that was compacted goes on in another. Undefined unless all of them are one such chain. */
function chained(sessions: readonly Session[]): readonly Session[] | undefined {
  if (sessions.length < 2) return sessions;
  const parents = new Map(sessions.map((session) => [textOf(session.row['parent_session_id']), session]));
  const ids = new Set(sessions.map(({ id }) => id));
  const starts = sessions.filter(({ row }) => !ids.has(textOf(row['parent_session_id'])));
  const chain: Session[] = [];
  let next = starts.length === 1 ? starts[0] : undefined;
  while (next !== undefined && chain.length < sessions.length) {
    chain.push(next);
    next = next.id === undefined ? undefined : parents.get(next.id);
  }
  return chain.length === sessions.length && next === undefined ? chain : undefined;
}

function titleOf(chain: readonly Session[]): string | undefined {
  const title = chain.map(({ row }) => textOf(row['title'])).find((each) => each !== undefined);
  return title && firstLine(title, maxTitleChars);
}

function cwdOf(session: Session | undefined): string | undefined {
  return textOf(session?.row['cwd']) ?? textOf(fieldsOf(decoded(session?.row['model_config']))?.['cwd']);
}

/** The error for a file of several conversations, with the names of the first few. */
export function severalSessions(names: readonly string[]): SnapcompactError {
  const named = names.slice(0, maxNamed).map((name) => firstLine(name, 80));
  const more = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : '';
  return new SnapcompactError('broken-input', {
    expected: 'one session',
    of: 'the transcript',
    got: `${names.length} sessions: ${named.join(', ')}${more}`,
    hint: 'put each into a file of its own',
  });
}
