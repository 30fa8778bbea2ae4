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
import { withoutCopies } from './subagent-copies.js';
import { orderSubagents } from './subagent-order.js';

interface AgentLane {
  readonly agent: string;
  readonly lane: Lane;
  /** Main messages before its first record; absent for a side file. */
  readonly after?: number;
  model?: string | undefined;
}

/** Who wrote a record: no agent is the main one. */
interface Speaker {
  readonly agent: string | undefined;
  /** The record stands in the agent's own file. */
  readonly hasFile: boolean;
}

export class ClaudeSession {
  readonly #tally: Tally;
  readonly #withSubagents: boolean;
  readonly #nextId = uniqueIds();
  readonly #main: Lane;
  readonly #agents = new Map<string, AgentLane>();
  /** Call that started an agent, by agent id, as its result says. */
  readonly #callOfAgent = new Map<string, string>();
  /** The same as the agent's own file of links says: no result can be mistaken there. */
  readonly #linkedCall = new Map<string, string>();
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
    // Also a record that says nothing may be the parent of one that does.
    const speaker = { agent: agent ?? this.#sidechainAgent(record), hasFile: agent !== undefined };
    if (type === 'user' || type === 'assistant') this.#spoken(record, type, place, speaker);
    else if (type === 'system' || type === 'continued-in')
      this.#aside(claudeNote(record, place, this.#tally), record, speaker);
    else if (type === 'attachment')
      this.#aside(claudeAttachment(record, place, this.#tally), record, speaker);
    else if (titleTypes.has(type)) {
      this.#title.record(type, record);
      this.#tally.skip(type);
    } else if (stateTypes.has(type)) this.#tally.skip(type);
    else this.#tally.unknown(type);
  }

  /** Names the call that started an agent, as the agent's own files say it. */
  linkAgent(agent: string, callId: string): void {
    this.#linkedCall.set(agent, callId);
  }

  /** Every message there is, before copies and order: for what still has to be looked up. */
  drafts(): Draft[] {
    return [this.#main, ...[...this.#agents.values()].map(({ lane }) => lane)].flatMap(
      (lane) => lane.messages,
    );
  }

  /** Agents that a result names and of which nothing was read. */
  missingAgents(): string[] {
    return [...this.#callOfAgent.keys()].filter((agent) => !this.#agents.has(agent));
  }

  finish(): Imported {
    const [only, ...others] = this.#agents.values();
    // A subagent's file given as the transcript: there it is the main agent, and a session of its own.
    const isAgentFile = this.#main.messages.length === 0 && only !== undefined && others.length === 0;
    const main: readonly Message[] = isAgentFile ? only.lane.messages : this.#main.messages;
    const ids = [this.#sessionId, isAgentFile ? `agent-${only.agent.replace(/^sidechain:/, '')}` : undefined];
    return defined<Imported>({
      history: { messages: isAgentFile ? main : this.#withAgents(main) },
      sessionId: textOf(ids.filter((id) => id !== undefined).join('.')),
      title: this.#title.best(main, (uuid) => this.#repeats.has(uuid)),
      cwd: this.#cwd,
      model: isAgentFile ? only.model : this.#model,
    });
  }

  #withAgents(main: readonly Message[]): readonly Message[] {
    const lanes = [...this.#agents.values()].map(({ agent, lane, after }) => ({
      agent,
      messages: lane.messages.map((message): Message => ({ ...message, agent })),
      callId: this.#linkedCall.get(agent) ?? this.#callOfAgent.get(agent) ?? this.#callByPrompt(lane),
      after,
    }));
    if (this.#withSubagents) return orderSubagents(main, withoutCopies(main, lanes, this.#tally));
    for (const lane of lanes) this.#tally.skip('message of a subagent', lane.messages.length);
    return main;
  }

  #noteSession(record: Fields): void {
    this.#sessionId ??= textOf(record['sessionId']);
    this.#cwd ??= textOf(record['cwd']);
  }

  #spoken(record: Fields, type: 'user' | 'assistant', place: string, speaker: Speaker): void {
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
    const found = this.#agentLane(speaker);
    (found?.lane ?? this.#main).add(drafts, responseKey(message, record['requestId']));
    const model = answeringModel(message);
    if (model !== undefined && found !== undefined) found.model = model;
    else if (model !== undefined) this.#model = model;
    this.#noteCalls(drafts, fieldsOf(record['toolUseResult']));
  }

  #aside(draft: Draft | undefined, record: Fields, speaker: Speaker): void {
    if (draft === undefined || this.#repeats.isRepeat(textOf(record['uuid']), [draft])) return;
    (this.#agentLane(speaker)?.lane ?? this.#main).add([draft]);
  }

  /** The lane of a subagent, begun if need be; undefined for the main agent. */
  #agentLane({ agent, hasFile }: Speaker): AgentLane | undefined {
    if (agent === undefined) return undefined;
    let found = this.#agents.get(agent);
    if (found === undefined) {
      const lane = new Lane(this.#nextId, this.#tally);
      found = { agent, lane, ...(!hasFile && { after: this.#main.messages.length }) };
      this.#agents.set(agent, found);
    }
    return found;
  }

  /** Before 2.0 a sidechain record named no agent; its chain of parents leads to the one that began it. */
  #sidechainAgent(record: Fields): string | undefined {
    if (record['isSidechain'] !== true) return undefined;
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
        if (agent !== undefined && !this.#callOfAgent.has(agent)) this.#callOfAgent.set(agent, block.callId);
      }
    }
  }

  #callByPrompt(lane: Lane): string | undefined {
    const block = lane.messages[0]?.blocks[0];
    return block?.type === 'text' ? this.#callsByPrompt.get(block.text)?.shift() : undefined;
  }
}
