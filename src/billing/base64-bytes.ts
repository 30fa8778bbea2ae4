/** Characters, and so bytes on the wire, of `bytes` bytes in base64, padding included. */
export function base64Bytes(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}
