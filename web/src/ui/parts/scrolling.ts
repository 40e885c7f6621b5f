/**
 * Scrolling through the conversation. It stays at its end while it is there; a reader who has scrolled back keeps the
 * line that is being read, whatever is added, let go of or measured anew above it. Near an edge more is asked for.
 */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { act } from "../state/memory";
import { state } from "../state/state";
import { useStore } from "../state/store";
import { showEarlier, showLater, showNewest } from "../state/window";

const NEAR_END_PX = 80;
const AT_END_PX = 1;
/** More is asked for when the edge is this many windows away. */
const REACH = 1.5;
const DEEPEST = 8;

/** What is read at the top of the window, from the turn down to the line, and how far below the edge each begins. */
type Place = Array<{ element: Element; top: number }>;

export function useScrolling(current: string | null, empty: boolean) {
  const log = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const place = useRef<Place>([]);
  const blank = useRef(empty);
  blank.current = empty; // a blank page has no end
  const [atEnd, setAtEnd] = useState(true);
  const messages = useStore(state, (value) => value.messages);
  const later = useStore(state, (value) => value.later);
  const focused = log.current?.contains(document.activeElement) ?? false;

  const hold = (): void => {
    const element = log.current as HTMLDivElement;
    if (blank.current) return;
    if (pinned.current && !state.get().later) element.scrollTop = element.scrollHeight;
    else keep(element, place.current);
  };
  const toEnd = (): void => {
    pinned.current = true;
    act(showNewest);
    log.current?.scrollTo({ top: log.current.scrollHeight });
  };
  useLayoutEffect(() => {
    pinned.current = true;
    place.current = [];
  }, [current]);
  useLayoutEffect(() => {
    hold();
    // What had the focus may have been let go of.
    if (focused && !log.current?.contains(document.activeElement)) log.current?.focus({ preventScroll: true });
  }, [messages]);
  useEffect(() => askForMore(log.current as HTMLDivElement), [messages, later]);
  useEffect(() => {
    const element = log.current as HTMLDivElement;
    let top = 0;
    const note = (): void => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      // What arrives meanwhile makes the end recede; only a reader goes back, and is let go at the first step, or what is
      // laid out on the way would take them to the end again.
      pinned.current = element.scrollTop < top ? left <= AT_END_PX : left < NEAR_END_PX || pinned.current;
      top = element.scrollTop;
      place.current = pinned.current && !state.get().later ? [] : placeIn(element);
      setAtEnd(left < element.clientHeight / 2);
      askForMore(element);
    };
    const observer = new ResizeObserver(hold);
    observer.observe(element);
    observer.observe(element.firstElementChild as Element);
    element.addEventListener("scroll", note, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", note);
    };
  }, []);
  // What the user has just sent is always shown.
  const sent = useStore(state, (value) => value.outgoing.length);
  useEffect(() => {
    if (sent > 0) toEnd();
  }, [sent]);
  return { log, atEnd: atEnd && !later, toEnd };
}

function askForMore(log: HTMLElement): void {
  const { earlier, later } = state.get();
  const reach = REACH * log.clientHeight;
  if (earlier && log.scrollTop < reach) act(showEarlier);
  else if (later && log.scrollHeight - log.scrollTop - log.clientHeight < reach) act(showLater);
}

function placeIn(log: Element): Place {
  const edge = log.getBoundingClientRect().top;
  const place: Place = [];
  // A turn, and no button that stays at the top whatever is put beneath it.
  let parts: ArrayLike<Element> = log.querySelectorAll(".turn");
  while (place.length < DEEPEST) {
    const element = firstBelow(parts, edge);
    if (!element) break;
    const top = element.getBoundingClientRect().top - edge;
    place.push({ element, top });
    if (top >= 0) break;
    parts = element.children;
  }
  return place;
}

/** The first that ends below the edge; they stand one below the other. */
function firstBelow(children: ArrayLike<Element>, edge: number): Element | undefined {
  let [from, to] = [0, children.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((children[middle] as Element).getBoundingClientRect().bottom > edge) to = middle;
    else from = middle + 1;
  }
  return children[from];
}

function keep(log: Element, place: Place): void {
  const held = place.filter(({ element }) => element.isConnected).at(-1);
  if (!held) return;
  const moved = held.element.getBoundingClientRect().top - log.getBoundingClientRect().top - held.top;
  if (Math.abs(moved) >= 1) log.scrollTop += moved;
}
