/**
 * A session tree in an append-only file: which entries lead to the last one, and which were left behind.
 *
 * A parent always stands before its child. A parent that does not, or is missing, counts as lost, and the entry
 * before the child takes its place: so a cut line cannot detach what came before it, and no ring can arise.
 */
interface Node<T> {
  readonly id: string;
  /** Index of the parent; -1 for a root. */
  readonly parent: number;
  readonly payload: T;
}

export interface AbandonedBranch<T> {
  /** Id of its last entry. */
  readonly id: string;
  readonly entries: readonly T[];
}

export class EntryTree<T> {
  readonly #nodes: Node<T>[] = [];
  readonly #indexOfId = new Map<string, number>();
  #lost = 0;

  /** Entries whose parent was lost. */
  get lostParents(): number {
    return this.#lost;
  }

  has(id: string): boolean {
    return this.#indexOfId.has(id);
  }

  /** `parentId`: null for a root, undefined if the entry does not say. */
  add(id: string, parentId: string | null | undefined, payload: T): void {
    const index = this.#nodes.length;
    const known = typeof parentId === 'string' ? this.#indexOfId.get(parentId) : undefined;
    const parent = parentId === null ? -1 : (known ?? index - 1);
    if (typeof parentId === 'string' && known === undefined) this.#lost += 1;
    this.#nodes.push({ id, parent, payload });
    this.#indexOfId.set(id, index);
  }

  /**
   * The path from a root to the last entry, in file order, and all the rest. What is below a `hidden` entry does not
   * count as the last, nor does a lone entry with nothing said in it or before it: a change of title has no parent.
   */
  split(
    hidden: ReadonlySet<string>,
    isSaid: (payload: T) => boolean,
  ): { active: T[]; abandoned: AbandonedBranch<T>[] } {
    const nodes = this.#nodes;
    const isHidden: boolean[] = [];
    const says: boolean[] = [];
    for (const node of nodes) {
      isHidden.push(hidden.has(node.id) || (isHidden[node.parent] ?? false));
      says.push(isSaid(node.payload) || (says[node.parent] ?? false));
    }
    const shown = says.findLastIndex((said, i) => said && isHidden[i] === false);
    const active = shown < 0 ? nodes.length - 1 : shown;
    const owner = new Array<number>(nodes.length).fill(-1);
    this.#claim(active, owner);
    for (let i = nodes.length - 1; i >= 0; i--) if (owner[i] === -1) this.#claim(i, owner);
    const branches = new Map<number, T[]>();
    nodes.forEach((node, i) => {
      const entries = branches.get(owner[i] as number) ?? [];
      entries.push(node.payload);
      branches.set(owner[i] as number, entries);
    });
    const path = branches.get(active) ?? [];
    branches.delete(active);
    const abandoned = [...branches].map(([last, entries]) => ({ id: nodes[last]?.id ?? '', entries }));
    return { active: path, abandoned };
  }

  /** Marks the unclaimed ancestors of `leaf` as its own. Over all leaves every entry is visited once. */
  #claim(leaf: number, owner: number[]): void {
    for (let i = leaf; i >= 0 && owner[i] === -1; i = this.#nodes[i]?.parent ?? -1) owner[i] = leaf;
  }
}
