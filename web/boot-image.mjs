// The boot image as a file: only pages that are not zero, which is about half of them. Used by build and page alike.

const PAGE = 4096;

/** [length of the whole, number of pages, their numbers …] as 32-bit words, then the pages. */
export function pack(image) {
  const numbers = [];
  for (let at = 0; at < image.length; at += PAGE) {
    if (image.subarray(at, at + PAGE).some((byte) => byte !== 0)) numbers.push(at / PAGE);
  }
  const head = new Uint8Array(Uint32Array.of(image.length, numbers.length, ...numbers).buffer);
  const packed = new Uint8Array(head.length + numbers.length * PAGE);
  packed.set(head);
  numbers.forEach((number, i) => {
    packed.set(image.subarray(number * PAGE, (number + 1) * PAGE), head.length + i * PAGE);
  });
  return packed;
}

/** Zeros at the end are left out: fresh memory is zero anyway. */
export function unpack(packed) {
  const [length, count] = new Uint32Array(packed.buffer, packed.byteOffset, 2);
  const numbers = new Uint32Array(packed.buffer, packed.byteOffset + 8, count);
  const image = new Uint8Array(Math.min(length, count ? (numbers[count - 1] + 1) * PAGE : 0));
  let from = 8 + count * 4;
  for (const number of numbers) {
    image.set(packed.subarray(from, from + Math.min(PAGE, image.length - number * PAGE)), number * PAGE);
    from += PAGE;
  }
  return image;
}

/** Pyodide lays an image into memory as it is: it must be there before. Other programs have none of that name. */
export function makeRoom({ exports: { memory } }, image) {
  const missing = image.length - (memory?.buffer.byteLength ?? Infinity);
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
}
