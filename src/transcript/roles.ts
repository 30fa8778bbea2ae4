/** The names that programs give to the four roles. */
import type { Role } from '../history/history.js';

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ...['system', 'developer'].map((name) => [name, 'system'] as const),
  ...['user', 'human'].map((name) => [name, 'user'] as const),
  ...['assistant', 'model', 'gpt', 'gemini', 'agent', 'ai'].map((name) => [name, 'assistant'] as const),
  ...['tool', 'function', 'toolResult'].map((name) => [name, 'tool'] as const),
]);

/** Undefined for a name that nobody has described. */
export function roleOf(name: unknown): Role | undefined {
  return roles.get(name);
}
