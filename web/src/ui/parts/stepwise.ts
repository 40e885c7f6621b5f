import { useEffect, useState } from "preact/hooks";

/** How many of many parts to render by now: one at once, the others one by one, so that the page answers meanwhile. */
export function useStepwise(count: number): number {
  const [ready, setReady] = useState(1);
  useEffect(() => {
    if (ready >= count) return;
    const timer = setTimeout(() => setReady(ready + 1));
    return () => clearTimeout(timer);
  }, [ready, count]);
  return ready;
}
