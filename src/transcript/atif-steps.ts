/** The steps of an ATIF trajectory as messages; those of a subagent stand behind the step that refers to it. */
import type { Block, MediaBlock, Message, ResultBlock } from '../history/history.js';
import { type Draft, hasContent, noteDraft, splitResults, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, listOf, textOf, timeMsOf, wordOf } from './fields.js';
import type { ImportContext, Tally } from './importer.js';
import { liftLabel, withLabels } from './injected-text.js';
import { inlineMedia, linkedMedia } from './media.js';
import { type ResultContent, resultContent } from './result-content.js';
import { roleOf } from './roles.js';

/** Trajectories embed others; deeper is counted. */
const maxDepth = 8;

export class AtifSteps {
  readonly messages: Message[] = [];
  /** As the last step says. */
  model: string | undefined;
  cwd: string | undefined;
  readonly #context: ImportContext;
  readonly #nextId = uniqueIds();

  constructor(context: ImportContext) {
    this.#context = context;
  }

  trajectory(root: Fields, agent?: string, depth = 0): void {
    const { tally, options } = this.#context;
    const embedded = new Map<string, Fields>();
    for (const value of listOf(root['subagent_trajectories'])) {
      const child = fieldsOf(value);
      if (child === undefined || !Array.isArray(child['steps'])) tally.unknown('subagent without steps');
      else if (!options.subagents || depth >= maxDepth) tally.skip('trajectory of a subagent');
      else embedded.set(idOf(child) ?? `${agent ?? 'subagent'}-${embedded.size + 1}`, child);
    }
    listOf(root['steps']).forEach((value, i) => {
      const step = fieldsOf(value);
      if (step === undefined) tally.unknown('step that is no object');
      else this.#step(step, i, agent);
      for (const id of step === undefined ? [] : refersTo(step)) this.#emit(embedded, id, depth);
    });
    // Nothing refers to these, or a reference has lost its name.
    for (const id of [...embedded.keys()]) this.#emit(embedded, id, depth);
    if (agent === undefined) this.#end(root);
  }

  #emit(embedded: Map<string, Fields>, id: string, depth: number): void {
    const child = embedded.get(id);
    embedded.delete(id);
    if (child !== undefined) this.trajectory(child, id, depth + 1);
  }

  #end(root: Fields): void {
    const { tally } = this.#context;
    if (textOf(root['notes']) !== undefined) tally.skip('notes on the trajectory');
    if (textOf(root['continued_trajectory_ref']) !== undefined)
      this.#add(noteDraft('continued', 'The trajectory goes on in another file'), undefined);
  }

  #step(step: Fields, index: number, agent: string | undefined): void {
    const { tally } = this.#context;
    if (step['is_copied_context'] === true) {
      tally.skip('step copied from an earlier trajectory');
      return;
    }
    const extra = fieldsOf(step['extra']);
    if (agent === undefined) {
      this.cwd ??= textOf(extra?.['cwd']);
      if (step['source'] === 'agent') this.model = textOf(step['model_name']) ?? this.model;
    }
    const drafts = stepDrafts(step, index, tally);
    if (drafts.length === 0) tally.skip('empty message');
    const isSide = extra?.['is_sidechain'] === true;
    for (const draft of drafts) this.#add(draft, agent ?? (isSide ? 'sidechain' : undefined));
  }

  #add(draft: Draft, agent: string | undefined): void {
    if (!hasContent(draft, this.#context.tally)) return;
    const id = this.#nextId(agent === undefined ? draft.id : `${agent}/${draft.id}`);
    this.messages.push({ ...draft, id, ...(agent !== undefined && { agent }) });
  }
}

function idOf(trajectory: Fields): string | undefined {
  return textOf(trajectory['trajectory_id']) ?? textOf(trajectory['session_id']);
}

function refersTo(step: Fields): string[] {
  return listOf(fieldsOf(step['observation'])?.['results'])
    .flatMap((result) => listOf(fieldsOf(result)?.['subagent_trajectory_ref']))
    .map(fieldsOf)
    .flatMap((ref) => [textOf(ref?.['trajectory_id']), textOf(ref?.['session_id'])])
    .filter((id) => id !== undefined);
}

function stepDrafts(step: Fields, index: number, tally: Tally): Draft[] {
  const source = wordOf(step['source']);
  const role = roleOf(source);
  if (role === undefined || role === 'tool') tally.unknown(`source/${source}`);
  const blocks = partBlocks(step['message'], tally);
  const stepId = step['step_id'];
  const id = typeof stepId === 'number' ? `step:${stepId}` : (textOf(stepId) ?? `step:${index + 1}`);
  const draft = defined<Draft>({
    id,
    role: role === undefined || role === 'tool' ? 'user' : role,
    blocks: [
      ...reasoning(step),
      ...(role === 'assistant' || role === 'system' ? blocks : withLabels(blocks)),
      ...calls(step, tally),
      ...results(step, tally),
    ],
    injected: undefined,
    timeMs: timeMsOf(step['timestamp']),
  });
  return splitResults(draft).map((run) => (run.role === 'user' ? liftLabel(run, undefined) : run));
}

function reasoning(step: Fields): Block[] {
  const text = wordOf(step['reasoning_content']);
  return /\S/.test(text) ? [{ type: 'reasoning', text }] : [];
}

function calls(step: Fields, tally: Tally): Block[] {
  return listOf(step['tool_calls']).flatMap((value): Block[] => {
    const call = fieldsOf(value);
    if (call === undefined) {
      tally.unknown('tool call that is no object');
      return [];
    }
    return [
      defined<Block & { type: 'call' }>({
        type: 'call',
        callId: textOf(call['tool_call_id']),
        name: textOf(call['function_name']) ?? '',
        input: call['arguments'] ?? {},
        intent: undefined,
      }),
    ];
  });
}

/** What came back, from the calls of the step or from the world. */
function results(step: Fields, tally: Tally): ResultBlock[] {
  return listOf(fieldsOf(step['observation'])?.['results']).flatMap((value): ResultBlock[] => {
    const result = fieldsOf(value);
    if (result === undefined) {
      tally.unknown('result that is no object');
      return [];
    }
    return [
      defined<ResultBlock>({
        type: 'result',
        callId: textOf(result['source_call_id']),
        content: resultContent(result['content'], plainPart),
      }),
    ];
  });
}

/** A string, or parts. */
function partBlocks(message: unknown, tally: Tally): Block[] {
  if (message === undefined || message === null) return [];
  const list = Array.isArray(message) ? message : [message];
  return list.flatMap((value): Block[] => {
    if (typeof value === 'string') return text(value);
    const part = fieldsOf(value);
    const blocks = part && plainPart(part);
    if (blocks === undefined) tally.unknown(`part/${textOf(part?.['type']) ?? 'untyped'}`);
    return blocks ?? [];
  });
}

/** Undefined for a part that nobody has described. */
function plainPart(part: Fields): ResultContent | undefined {
  if (part['type'] === 'text' && typeof part['text'] === 'string') return text(part['text']);
  const source = fieldsOf(part['source']);
  return part['type'] === 'image' ? [image(source)] : undefined;
}

/** A path is named and never opened. */
function image(source: Fields | undefined): MediaBlock {
  return typeof source?.['data'] === 'string'
    ? inlineMedia('image', source['data'], source['media_type'])
    : linkedMedia('image', source?.['path'] ?? source?.['url'], source?.['media_type']);
}

function text(value: string): (Block & { type: 'text' })[] {
  return /\S/.test(value) ? [{ type: 'text', text: value }] : [];
}
