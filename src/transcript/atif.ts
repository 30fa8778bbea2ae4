/** ATIF trajectories (`trajectory.json` of Harbor and Terminal-Bench), versions 1.0 to 1.7. */
import type { Message } from '../history/history.js';
import { AtifSteps } from './atif-steps.js';
import { defined, type Fields, fieldsOf, listOf, textOf, wordOf } from './fields.js';
import { severalSessions } from './hermes-sessions.js';
import type { Confidence, ImportContext, Imported, Importer, Probe, RecordSink } from './importer.js';

export const atif: Importer = {
  name: 'atif',
  title: 'an ATIF trajectory',
  reads: 'records',
  detect,
  open: (context) => new AtifSink(context),
};

/** Of version 1; a later one may have changed anything. */
const version = /^(ATIF-v)?1(\.\d+)*$/;

function detect(probe: Probe): Confidence {
  const found = probe.records.map(fieldsOf).some((record) => record !== undefined && isTrajectory(record));
  return found ? 'certain' : 'no';
}

function isTrajectory(record: Fields): boolean {
  return 'schema_version' in record && Array.isArray(record['steps']);
}

class AtifSink implements RecordSink {
  readonly #context: ImportContext;
  readonly #steps: AtifSteps;
  readonly #sessions = new Set<string>();
  #root: Fields | undefined;

  constructor(context: ImportContext) {
    this.#context = context;
    this.#steps = new AtifSteps(context);
  }

  record(value: unknown): void {
    const { tally } = this.#context;
    const root = fieldsOf(value);
    if (root === undefined || !Array.isArray(root['steps'])) {
      tally.unknown('record without steps');
      return;
    }
    if (!version.test(wordOf(root['schema_version'])))
      tally.warn(`schema version ${wordOf(root['schema_version']) || 'not recorded'}; read as ATIF-v1.7`);
    this.#root ??= root;
    const id = textOf(root['session_id']);
    if (id !== undefined) this.#sessions.add(id);
    this.#steps.trajectory(root);
  }

  /** Throws `broken-input` for trajectories of several sessions. */
  finish(): Imported {
    if (this.#sessions.size > 1) throw severalSessions([...this.#sessions]);
    const root = this.#root;
    const agent = fieldsOf(root?.['agent']);
    const messages: readonly Message[] = this.#steps.messages;
    return defined<Imported>({
      history: { messages },
      sessionId: textOf(root?.['session_id']) ?? textOf(root?.['trajectory_id']),
      title: undefined,
      cwd: this.#steps.cwd ?? textOf(listOf(fieldsOf(agent?.['extra'])?.['cwds'])[0]),
      model: this.#steps.model ?? textOf(agent?.['model_name']),
    });
  }
}
