import { type Component, type FunctionComponent, h } from "preact";

/** A component that renders again only when one of its properties is another value. */
export function memo<P extends object>(component: FunctionComponent<P>): FunctionComponent<P> {
  function Memo(this: Component<P>, props: P) {
    this.shouldComponentUpdate = (next) => differ(this.props as Partial<P>, next as Partial<P>);
    return h(component, props as P & { key?: string });
  }
  return Memo as unknown as FunctionComponent<P>;
}

function differ<P extends object>(one: P, other: P): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof P>;
  return [...names].some((name) => one[name] !== other[name]);
}
