import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitInjected } from '../../src/transcript/injected-text.js';
import { jsonl, read } from './support.js';

/** `label|text` of each piece; nothing before the bar is the user's. */
function pieces(text: string): string[] {
  return splitInjected(text).map((block) => `${block.injected ?? ''}|${block.text}`);
}

const reminder = '<system-reminder>x</system-reminder>';

describe('injected text in a user turn', () => {
  it.each([
    ['in front', `${reminder}\nfix it`, [`system-reminder|${reminder}`, '|\nfix it']],
    ['behind', `fix it\n\n${reminder}\n`, ['|fix it\n\n', `system-reminder|${reminder}\n`]],
    ['between', `a ${reminder} b`, ['|a ', `system-reminder|${reminder}`, '| b']],
    [
      'of two kinds',
      `<bash-input>ls</bash-input>\n<bash-stdout>a</bash-stdout>`,
      ['local-command|<bash-input>ls</bash-input>\n', 'command-output|<bash-stdout>a</bash-stdout>'],
    ],
    [
      'with attributes',
      '<teammate-message teammate_id="x" color="red">hi</teammate-message> ok',
      ['teammate-message|<teammate-message teammate_id="x" color="red">hi</teammate-message>', '| ok'],
    ],
    [
      'around another block of the same kind',
      '<system-reminder>a <system-reminder>b</system-reminder> c</system-reminder> me',
      ['system-reminder|<system-reminder>a <system-reminder>b</system-reminder> c</system-reminder>', '| me'],
    ],
    [
      'that quotes its own end',
      'me <system-reminder>never say </system-reminder> to a user</system-reminder> tail',
      [
        '|me ',
        'system-reminder|<system-reminder>never say </system-reminder> to a user</system-reminder> tail',
      ],
    ],
    ['that was cut', `me\n<system-reminder>x`, ['|me\n', 'system-reminder|<system-reminder>x']],
    ['named in a sentence', 'Why does <system-reminder> appear?', ['|Why does <system-reminder> appear?']],
    ['closed only', 'what is </system-reminder> for', ['|what is </system-reminder> for']],
    ['of a tag nobody knows', '<div>x</div>', ['|<div>x</div>']],
    [
      'with the line Claude Code puts behind it',
      '<task-notification>x</task-notification>\nRead the output file to see it',
      ['task-notification|<task-notification>x</task-notification>\nRead the output file to see it'],
    ],
  ])('is set apart: %s', (_title, text, expected) => {
    expect(pieces(text)).toEqual(expected);
  });

  it('is cut without a loss, whatever the text', () => {
    const part = fc.constantFrom(
      '<system-reminder>',
      '</system-reminder>',
      '<bash-input>',
      '</bash-input>',
      ' ',
      '\n',
      'a',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(
          splitInjected(text)
            .map((block) => block.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('takes linear time', () => {
    expect(splitInjected('<system-reminder>'.repeat(100_000)).length).toBe(1);
    expect(splitInjected('a <bash-input> '.repeat(100_000)).length).toBe(1);
    expect(splitInjected(`${reminder} a `.repeat(50_000)).length).toBe(100_000);
  }, 10_000);

  it('never becomes the title', async () => {
    const turn = (uuid: string, content: string) => ({
      type: 'user',
      uuid,
      parentUuid: null,
      sessionId: 's',
      message: { role: 'user', content },
    });
    const mixed = `${reminder}<bash-stdout>out</bash-stdout>`;
    const { title } = await read(jsonl(turn('1', mixed), turn('2', `${reminder}\nFix the parser`)));
    expect(title).toBe('Fix the parser');
  });

  it('is labelled in queued prompts by what they say of themselves, and in pi sessions', async () => {
    const queued = (uuid: string, more: object) => ({
      type: 'attachment',
      uuid,
      sessionId: 's',
      attachment: { type: 'queued_command', prompt: uuid, ...more },
    });
    const { history } = await read(
      jsonl(
        queued('typed', {}),
        queued('meta', { isMeta: true }),
        queued('peer', { origin: { kind: 'peer' } }),
        queued('task', { commandMode: 'task-notification' }),
      ),
    );
    expect(history.messages.map((message) => message.injected)).toEqual([
      undefined,
      'meta',
      'peer',
      'task-notification',
    ]);
    const pi = await read(
      jsonl(
        { type: 'session', version: 3, id: 'p', cwd: '/w' },
        { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: `${reminder} go` } },
      ),
    );
    expect(pi.history.messages[0]?.blocks).toMatchObject([{ injected: 'system-reminder' }, { text: ' go' }]);
  });
});
