/** A value that components can watch. */

import { useEffect, useReducer, useRef } from "preact/hooks";

export class Store<T extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(changes: Partial<T>): void {
    this.value = { ...this.value, ...changes };
    for (const listener of this.listeners) listener();
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** What `select` takes from the store; renders again when that is another value. */
export function useStore<T extends object, S>(store: Store<T>, select: (value: T) => S): S {
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  const selected = select(store.get());
  const latest = useRef({ select, selected });
  latest.current = { select, selected };
  useEffect(() => {
    const check = (): void => {
      if (latest.current.select(store.get()) !== latest.current.selected) render();
    };
    check(); // it may have changed between rendering and this effect
    return store.watch(check);
  }, [store]);
  return selected;
}
