// Real transcripts: the shared corpus beside the checkout where there is one, else the committed fixture.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readTranscript } from '../dist/index.js';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const shared = path('../../shared/corpus/');
const fixture = path('../test/fixtures/transcripts/claude-code/session.jsonl');
const hasShared = existsSync(shared);

export const corpusName = hasShared ? 'shared corpus' : 'committed fixture';
/** One large session, for runs from the shell. */
export const transcriptPath = hasShared ? `${shared}claude-code-jsonl/spotter-8463c716.jsonl` : fixture;

const files = hasShared
  ? [
      'claude-code-jsonl/spotter-8463c716.jsonl',
      'claude-stream-json/testem.txt',
      'claude-stream-json/happy-dom-io.txt',
      'pi/large-session-v1.jsonl',
    ].map((name) => shared + name)
  : [fixture];

/** Histories of code and log work, tool output included. */
export async function corpusHistories() {
  return Promise.all(files.map(async (file) => (await readTranscript(file)).history));
}

/** Messages of the corpus, over and over with new ids, until their text is about `chars` long. */
export async function longHistory(chars) {
  const messages = (await corpusHistories()).flatMap((history) => history.messages);
  const length = messages.map((message) => JSON.stringify(message.blocks).length);
  const long = [];
  for (let total = 0, i = 0; total < chars; i++) {
    const { blocks, ...message } = messages[i % messages.length];
    const round = Math.floor(i / messages.length);
    const fresh = blocks.map((block) =>
      'callId' in block ? { ...block, callId: `${block.callId}/${round}` } : block,
    );
    long.push({ ...message, id: `${message.id}/${round}`, blocks: fresh });
    total += length[i % messages.length];
  }
  return { messages: long };
}
