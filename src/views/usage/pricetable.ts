/** Which prices these are. The library's table has no date of its own: this is the day its version was published. A test holds the version. */
export const TABLE = { name: '@pydantic/genai-prices 0.1.8', version: '0.1.8', date: '2026-09-23' };
