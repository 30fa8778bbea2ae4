/** Puts what subagents said behind the call that started them. */
import type { Message } from '../history/history.js';

export interface SubagentLane {
  readonly agent: string;
  readonly messages: readonly Message[];
  /** The call that started the subagent, as far as it is known. */
  readonly callId?: string | undefined;
  /** How many main messages came before its first record; used where no such call is in the file. */
  readonly after?: number | undefined;
}

/**
 * All messages in reading order: a subagent follows the result of its call, or the call where there is no result,
 * in whichever lane that stands (subagents start subagents). What has no place comes last. Linear.
 */
export function orderSubagents(main: readonly Message[], lanes: readonly SubagentLane[]): Message[] {
  if (lanes.length === 0) return [...main];
  const anchors = findAnchors([main, ...lanes.map((lane) => lane.messages)]);
  const byMessage = new Map<Message, SubagentLane[]>();
  const first: SubagentLane[] = [];
  const last: SubagentLane[] = [];
  for (const lane of lanes) {
    const anchor =
      (lane.callId !== undefined ? anchors.get(lane.callId) : undefined) ?? anchorByPlace(main, lane);
    if (anchor === 'first') first.push(lane);
    else if (anchor === undefined) last.push(lane);
    else {
      const children = byMessage.get(anchor);
      if (children === undefined) byMessage.set(anchor, [lane]);
      else children.push(lane);
    }
  }
  const out: Message[] = [];
  const placed = new Set<SubagentLane>();
  for (const lane of first) emit(lane, byMessage, placed, out);
  emit({ agent: '', messages: main }, byMessage, placed, out);
  // Lanes that hang on each other in a ring are reached from nowhere else.
  for (const lane of [...last, ...lanes]) emit(lane, byMessage, placed, out);
  return out;
}

function anchorByPlace(main: readonly Message[], lane: SubagentLane): Message | 'first' | undefined {
  if (lane.after === undefined) return undefined;
  return lane.after === 0 ? 'first' : main[lane.after - 1];
}

/** For each call id the first message with its result, else the first with the call. */
function findAnchors(lanes: readonly (readonly Message[])[]): Map<string, Message> {
  const results = new Map<string, Message>();
  const calls = new Map<string, Message>();
  for (const message of lanes.flat()) {
    for (const block of message.blocks) {
      if (block.type !== 'result' && block.type !== 'call') continue;
      const found = block.type === 'result' ? results : calls;
      if (block.callId !== undefined && !found.has(block.callId)) found.set(block.callId, message);
    }
  }
  for (const [callId, message] of calls) if (!results.has(callId)) results.set(callId, message);
  return results;
}

/** Depth is data, so the walk keeps its own stack. */
function emit(
  lane: SubagentLane,
  byMessage: ReadonlyMap<Message, readonly SubagentLane[]>,
  placed: Set<SubagentLane>,
  out: Message[],
): void {
  if (placed.has(lane)) return;
  placed.add(lane);
  const stack = [{ messages: lane.messages, next: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const message = frame.messages[frame.next];
    if (message === undefined) {
      stack.pop();
      continue;
    }
    frame.next += 1;
    out.push(message);
    for (const child of [...(byMessage.get(message) ?? [])].reverse()) {
      if (placed.has(child)) continue;
      placed.add(child);
      stack.push({ messages: child.messages, next: 0 });
    }
  }
}
