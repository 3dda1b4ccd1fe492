/** A short stand-in for a long text that is compared only for equality: two 32-bit hashes and the length. */
export function fingerprint(text: string): string | undefined {
  const plain = text.replace(/\r\n/g, '\n').trim();
  if (plain === '') return undefined;
  let a = 0x811c9dc5;
  let b = 0;
  for (let i = 0; i < plain.length; i += 1) {
    const unit = plain.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = (Math.imul(b, 31) + unit) | 0;
  }
  return `${plain.length}-${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}`;
}
