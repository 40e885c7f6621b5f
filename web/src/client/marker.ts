/** A cookie outlives the storage that browsers clear on their own, so that a loss is noticed. It holds no data. */

const SECONDS = 400 * 24 * 3600;

export function mark(database: string): void {
  document.cookie = `${encodeURIComponent(database)}=kept; max-age=${SECONDS}; samesite=strict`;
}

export function unmark(database: string): void {
  document.cookie = `${encodeURIComponent(database)}=; max-age=0; samesite=strict`;
}

export function isMarked(database: string): boolean {
  return document.cookie.split("; ").includes(`${encodeURIComponent(database)}=kept`);
}
