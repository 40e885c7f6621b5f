// Texts by Zipf's law, a third of the words Chinese; the same words as in the other benchmarks.

const hanzi = (n) => String.fromCharCode(0x4e00 + (n % 2500), 0x4e00 + ((n * 7) % 2500));
const latin = (n) => "w" + ((n * 2654435761) % 2 ** 32).toString(36);
const words = Array.from({ length: 8000 }, (_, n) => (n % 3 === 0 ? hanzi(n) : latin(n)));

export const random = Math.random;
export const MARKS = "user 2025 11";

export function content(next, count) {
  return Array.from({ length: count }, () => words[Math.floor(words.length ** next()) - 1]).join(" ");
}

/** Latin words as they are, a run of Chinese as its characters and its pairs: what py_memory.text does. */
export function searchTerms(text) {
  return text.replace(/[\u4e00-\u9fff]+/g, (run) => {
    const pairs = Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2));
    return [...run, ...pairs].join(" ");
  });
}

export function uuid7(now = Date.now()) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(now / 2 ** (8 * (5 - i))) % 256;
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
