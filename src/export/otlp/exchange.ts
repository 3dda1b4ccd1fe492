/** One HTTP request. By node:http: the first `fetch` of a process takes some 50 ms of CPU, this about 10, and a hook sends one. */

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; null where there is none. */
  header(name: string): string | null;
  readonly text: string;
}

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** An answer longer than this is cut. */
const LONGEST = 1 << 20;

/** Does not follow redirects: those would take the keys elsewhere. */
export function exchange(url: string, { headers, body, signal }: HttpRequest): Promise<HttpAnswer> {
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length }, signal });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        if (size < LONGEST) chunks.push(chunk);
        size += chunk.length;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const header = (name: string) => [answer.headers[name]].flat()[0] ?? null;
        resolve({ status: answer.statusCode ?? 0, header, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    asked.end(body);
  });
}
