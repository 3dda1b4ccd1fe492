/** How a request to the test server can go wrong, and what it keeps of each. */

/**
 * dropped: the connection ends, nothing is done · lost: it is done, but the answer never arrives · hangs: nothing is done and no
 * answer comes until the client gives up.
 */
export type Fault = 'dropped' | 'lost' | 'hangs' | Refusal;

export interface Refusal {
  readonly status: number;
  readonly body?: string;
  /** Without them that by which ClickHouse is known. */
  readonly headers?: Record<string, string>;
}

/** What a fault is decided by. */
export interface Request {
  /** The how manieth request this is, from 0. */
  readonly n: number;
  readonly user: string;
  /** The statement. */
  readonly sql: string;
  /** What came as the body, inflated. */
  readonly body: string;
}

export interface Recorded {
  readonly n: number;
  readonly user: string;
  readonly method: string;
  /** With the parameters, as text. */
  readonly url: string;
  readonly sql: string;
  readonly encoding: string;
  /** Bytes on the wire. */
  readonly wire: number;
  readonly start: number;
  readonly length: number;
}

/** Messages of the test to the server. */
export type Order =
  | { readonly id: number; readonly kind: 'fail'; readonly source: string; readonly data: string }
  | { readonly id: number; readonly kind: 'slow'; readonly ms: number }
  | { readonly id: number; readonly kind: 'stop' };
