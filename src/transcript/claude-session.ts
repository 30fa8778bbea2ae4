/** The state of one import of a Claude Code session: lanes of messages, and what ties them together. */
import type { Message } from '../history/history.js';
import { claudeAttachment, claudeInjection, claudeNote } from './claude-asides.js';
import { answeringModel, claudeDrafts, responseKey } from './claude-message.js';
import { stateTypes, titleTypes } from './claude-records.js';
import { ClaudeTitle } from './claude-title.js';
import { type Draft, uniqueIds } from './draft.js';
import { defined, type Fields, fieldsOf, textOf, timeMsOf } from './fields.js';
import type { Imported, Tally } from './importer.js';
import { Lane } from './lane.js';
import { Repeats } from './repeats.js';
import { orderSubagents } from './subagent-order.js';

interface AgentLane {
  readonly lane: Lane;
  /** Main messages before its first record; absent for a side file. */
  readonly after?: number;
}

export class ClaudeSession {
  readonly #tally: Tally;
  readonly #withSubagents: boolean;
  readonly #nextId = uniqueIds();
  readonly #main: Lane;
  readonly #agents = new Map<string, AgentLane>();
  /** Call that started an agent, by agent id. */
  readonly #callOfAgent = new Map<string, string>();
  /** Calls by the prompt they gave to a subagent: the only link that versions before 2.0 leave. */
  readonly #callsByPrompt = new Map<string, string[]>();
  /** Agent of a sidechain record that does not name one, by its uuid. */
  readonly #agentOfUuid = new Map<string, string>();
  readonly #repeats: Repeats;
  readonly #title = new ClaudeTitle();
  #sessionId: string | undefined;
  #cwd: string | undefined;
  #model: string | undefined;

  constructor(tally: Tally, withSubagents: boolean) {
    this.#tally = tally;
    this.#withSubagents = withSubagents;
    this.#main = new Lane(this.#nextId, tally);
    this.#repeats = new Repeats(tally);
  }

  /** `place` is the id of a record that has none; `agent` is set for the records of a subagent's own file. */
  record(value: unknown, place: string, agent?: string): void {
    const record = fieldsOf(value);
    const type = textOf(record?.['type']);
    if (record === undefined || type === undefined) {
      this.#tally.unknown('record without a type');
      return;
    }
    if (agent === undefined) this.#noteSession(record);
    if (type === 'user' || type === 'assistant') this.#spoken(record, type, place, agent);
    else if (type === 'system') this.#aside(claudeNote(record, place, this.#tally), record, agent);
    else if (type === 'attachment') this.#aside(claudeAttachment(record, place, this.#tally), record, agent);
    else if (type === 'continued-in') this.#aside(claudeNote(record, place, this.#tally), record, agent);
    else if (titleTypes.has(type)) {
      this.#title.record(type, record);
      this.#tally.skip(type);
    } else if (stateTypes.has(type)) this.#tally.skip(type);
    else this.#tally.unknown(type);
  }

  /** Names the call that started an agent. The first one told wins. */
  linkAgent(agent: string, callId: string): void {
    if (!this.#callOfAgent.has(agent)) this.#callOfAgent.set(agent, callId);
  }

  finish(): Imported {
    const lanes = [...this.#agents].map(([agent, { lane, after }]) => ({
      agent,
      messages: lane.messages.map((message): Message => ({ ...message, agent })),
      callId: this.#callOfAgent.get(agent) ?? this.#callByPrompt(lane),
      after,
    }));
    const [only] = [...this.#agents.values()];
    let messages: readonly Message[];
    // A subagent's file given as the transcript: there it is the main agent.
    if (this.#main.messages.length === 0 && lanes.length === 1 && only !== undefined)
      messages = only.lane.messages;
    else if (this.#withSubagents) messages = orderSubagents(this.#main.messages, lanes);
    else {
      for (const lane of lanes) this.#tally.skip('message of a subagent', lane.messages.length);
      messages = this.#main.messages;
    }
    return defined<Imported>({
      history: { messages },
      sessionId: this.#sessionId,
      title: this.#title.best(this.#main.messages, (uuid) => this.#repeats.has(uuid)),
      cwd: this.#cwd,
      model: this.#model,
    });
  }

  #noteSession(record: Fields): void {
    this.#sessionId ??= textOf(record['sessionId']);
    this.#cwd ??= textOf(record['cwd']);
  }

  #spoken(record: Fields, type: 'user' | 'assistant', place: string, agent: string | undefined): void {
    const message = fieldsOf(record['message']);
    if (message === undefined) {
      this.#tally.unknown(`${type} without a message`);
      return;
    }
    const drafts = claudeDrafts(
      {
        id: textOf(record['uuid']) ?? place,
        role: type,
        message,
        injected: claudeInjection(record, message),
        toolUseResult: record['toolUseResult'],
        timeMs: timeMsOf(record['timestamp']),
      },
      this.#tally,
    );
    if (this.#repeats.isRepeat(textOf(record['uuid']), drafts)) return;
    const lane = this.#laneOf(record, agent);
    lane.add(drafts, responseKey(message, record['requestId']));
    if (lane === this.#main) this.#model = answeringModel(message) ?? this.#model;
    this.#noteCalls(drafts, fieldsOf(record['toolUseResult']));
  }

  #aside(draft: Draft | undefined, record: Fields, agent: string | undefined): void {
    if (draft === undefined || this.#repeats.isRepeat(textOf(record['uuid']), [draft])) return;
    this.#laneOf(record, agent).add([draft]);
  }

  #laneOf(record: Fields, fileAgent: string | undefined): Lane {
    const agent = fileAgent ?? (record['isSidechain'] === true ? this.#sidechainAgent(record) : undefined);
    if (agent === undefined) return this.#main;
    let found = this.#agents.get(agent);
    if (found === undefined) {
      const after = fileAgent === undefined ? this.#main.messages.length : undefined;
      found = { lane: new Lane(this.#nextId, this.#tally), ...(after !== undefined && { after }) };
      this.#agents.set(agent, found);
    }
    return found.lane;
  }

  /** Before 2.0 a sidechain record named no agent; its chain of parents leads to the one that began it. */
  #sidechainAgent(record: Fields): string {
    const uuid = textOf(record['uuid']);
    const agent =
      textOf(record['agentId']) ??
      this.#agentOfUuid.get(textOf(record['parentUuid']) ?? '') ??
      `sidechain:${uuid ?? 'unnamed'}`;
    if (uuid !== undefined) this.#agentOfUuid.set(uuid, agent);
    return agent;
  }

  #noteCalls(drafts: readonly Draft[], toolUseResult: Fields | undefined): void {
    for (const block of drafts.flatMap((draft) => draft.blocks)) {
      if (block.type === 'call' && block.callId !== undefined) {
        const prompt = textOf(fieldsOf(block.input)?.['prompt']);
        if (prompt === undefined) continue;
        const calls = this.#callsByPrompt.get(prompt);
        if (calls === undefined) this.#callsByPrompt.set(prompt, [block.callId]);
        else calls.push(block.callId);
      } else if (block.type === 'result' && block.callId !== undefined) {
        const agent = textOf(toolUseResult?.['agentId']);
        if (agent !== undefined) this.linkAgent(agent, block.callId);
      }
    }
  }

  #callByPrompt(lane: Lane): string | undefined {
    const block = lane.messages[0]?.blocks[0];
    return block?.type === 'text' ? this.#callsByPrompt.get(block.text)?.shift() : undefined;
  }
}
