/**
 * Makes UTF-8 of a source, and names the containers and pictures that are no text at all.
 *
 * A UTF-16 byte order mark switches decoding; everything else is taken as UTF-8, with a mark in front dropped.
 */
import { SnapcompactError } from '../errors.js';

interface Magic {
  readonly bytes: readonly number[];
  readonly title: string;
  readonly hint?: string;
}

/** First bytes of what people hand over by mistake, or compressed. */
const magics: readonly Magic[] = [
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], title: 'a zstd archive', hint: 'unpack it first: zstd -d' },
  { bytes: [0x1f, 0x8b], title: 'a gzip archive', hint: 'unpack it first: gzip -d' },
  {
    bytes: [...Buffer.from('SQLite format 3\0', 'latin1')],
    title: 'a SQLite database (OpenCode and Hermes keep sessions in one)',
    hint: 'export the session with the agent that wrote it; only a database of OpenCode is read, from its path',
  },
  { bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], title: 'a PNG picture' },
  { bytes: [0xff, 0xd8, 0xff], title: 'a JPEG picture' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], title: 'a ZIP archive', hint: 'unpack it first' },
  { bytes: [0x25, 0x50, 0x44, 0x46, 0x2d], title: 'a PDF document' },
];

const longestMagicBytes = 16;

/** Throws `unrecognised-format` if the first bytes are those of a known binary format. */
export async function* utf8Chunks(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncIterable<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  let recode: ((chunk: Uint8Array) => Uint8Array) | undefined;
  for await (const chunk of chunks) {
    let piece = chunk;
    if (head !== undefined) {
      head = Buffer.concat([head, chunk]);
      if (head.length < longestMagicBytes) continue;
      piece = head;
      head = undefined;
      recode = recoderFor(piece, name);
    }
    yield recode === undefined ? piece : recode(piece);
  }
  if (head !== undefined && head.length > 0) {
    recode = recoderFor(head, name);
    yield recode === undefined ? head : recode(head);
  }
}

function recoderFor(head: Uint8Array, name: string): ((chunk: Uint8Array) => Uint8Array) | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return utf16Recoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return utf16Recoder('utf-16be');
  for (const magic of magics) {
    if (magic.bytes.every((byte, i) => head[i] === byte)) {
      throw new SnapcompactError('unrecognised-format', {
        expected: 'a transcript',
        of: name,
        got: magic.title,
        ...(magic.hint !== undefined && { hint: magic.hint }),
      });
    }
  }
  return undefined;
}

function utf16Recoder(encoding: 'utf-16le' | 'utf-16be'): (chunk: Uint8Array) => Uint8Array {
  const decoder = new TextDecoder(encoding);
  return (chunk) => Buffer.from(decoder.decode(chunk, { stream: true }), 'utf8');
}
