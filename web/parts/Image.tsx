/** A picture from a transcript. Only formats that are nothing but pixels. */
import type { PageImage } from '../../src/views/page/types.ts';

const PIXELS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

export function Picture({ mediaType, data }: PageImage) {
  if (!PIXELS.has(mediaType) || !BASE64.test(data)) {
    return (
      <p class="quiet small">A picture that cannot be shown ({mediaType === '' ? 'of no known format' : mediaType})</p>
    );
  }
  return <img class="picture" src={`data:${mediaType};base64,${data}`} alt="from the conversation" />;
}
